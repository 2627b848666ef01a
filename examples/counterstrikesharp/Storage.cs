using System.Collections.Generic;
using System.IO;

namespace StewardPlugin
{
    /// <summary>Small files that are whole at any moment, also when the game server crashes.</summary>
    public static class Storage
    {
        public static IEnumerable<string> ReadLines(string file)
        {
            return File.Exists(file) ? File.ReadAllLines(file) : new string[0];
        }

        public static void WriteLines(string file, IEnumerable<string> lines)
        {
            File.WriteAllLines(file + ".new", lines);
            Replace(file + ".new", file);
        }

        public static void Replace(string copy, string file)
        {
            if (File.Exists(file))
            {
                File.Replace(copy, file, null);
            }
            else
            {
                File.Move(copy, file);
            }
        }
    }
}
