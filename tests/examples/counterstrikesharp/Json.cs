// The part of System.Text.Json that the plugin uses. Debian's C# compiler comes without it.
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace System.Text.Json
{
    public enum JsonValueKind : byte { Undefined, Object, Array, String, Number, True, False, Null }

    public class JsonException : Exception
    {
        public JsonException(string message) : base(message)
        {
        }
    }

    public struct JsonElement
    {
        internal JsonValueKind Kind;
        internal string Raw;
        internal string Value;
        internal List<JsonElement> Items;
        internal List<KeyValuePair<string, JsonElement>> Members;

        public JsonValueKind ValueKind => Kind;
        public JsonElement this[int index] => Need(JsonValueKind.Array).Items[index];
        public int GetArrayLength() => Need(JsonValueKind.Array).Items.Count;
        public IEnumerable<JsonElement> EnumerateArray() => Need(JsonValueKind.Array).Items;
        public string GetRawText() => Raw;
        public long GetInt64() => long.Parse(Need(JsonValueKind.Number).Raw, CultureInfo.InvariantCulture);
        public bool GetBoolean() => Kind == JsonValueKind.True || Need(JsonValueKind.False).Kind != Kind;
        public override string ToString() => Kind == JsonValueKind.String ? Value : Raw;

        public bool TryGetInt32(out int value)
        {
            var raw = Need(JsonValueKind.Number).Raw;
            return int.TryParse(raw, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);
        }

        public string GetString()
        {
            return Kind == JsonValueKind.Null ? null : Need(JsonValueKind.String).Value;
        }

        public JsonElement GetProperty(string propertyName)
        {
            return TryGetProperty(propertyName, out var value)
                ? value
                : throw new KeyNotFoundException(propertyName);
        }

        public bool TryGetProperty(string propertyName, out JsonElement value)
        {
            var found = Need(JsonValueKind.Object).Members.Where(member => member.Key == propertyName).ToList();
            value = found.Count > 0 ? found[found.Count - 1].Value : default(JsonElement);
            return found.Count > 0;
        }

        private JsonElement Need(JsonValueKind kind)
        {
            return Kind == kind ? this : throw new InvalidOperationException($"{Raw} is not of the kind {kind}");
        }
    }

    public sealed class JsonDocument : IDisposable
    {
        private string text;
        private int at;

        public JsonElement RootElement { get; private set; }

        public static JsonDocument Parse(string json)
        {
            var document = new JsonDocument { text = json };
            document.RootElement = document.Read();
            document.Skip();
            return document.at == json.Length ? document : throw document.Error();
        }

        public void Dispose()
        {
        }

        private JsonException Error() => new JsonException($"invalid JSON at {at}: {text}");

        private void Skip()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0)
            {
                at++;
            }
        }

        /// <summary>Whether the text goes on with this. Then it is read.</summary>
        private bool Take(string word)
        {
            Skip();
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                return false;
            }
            at += word.Length;
            return true;
        }

        private void Need(string word)
        {
            if (!Take(word))
            {
                throw Error();
            }
        }

        private JsonElement Read()
        {
            Skip();
            var begin = at;
            var element = new JsonElement();
            if (Take("{"))
            {
                element.Kind = JsonValueKind.Object;
                element.Members = new List<KeyValuePair<string, JsonElement>>();
                for (var first = true; !Take("}"); first = false)
                {
                    if (!first)
                    {
                        Need(",");
                    }
                    Need("\"");
                    var name = ReadString();
                    Need(":");
                    element.Members.Add(new KeyValuePair<string, JsonElement>(name, Read()));
                }
            }
            else if (Take("["))
            {
                element.Kind = JsonValueKind.Array;
                element.Items = new List<JsonElement>();
                for (var first = true; !Take("]"); first = false)
                {
                    if (!first)
                    {
                        Need(",");
                    }
                    element.Items.Add(Read());
                }
            }
            else if (Take("\""))
            {
                element.Kind = JsonValueKind.String;
                element.Value = ReadString();
            }
            else if (Take("true"))
            {
                element.Kind = JsonValueKind.True;
            }
            else if (Take("false"))
            {
                element.Kind = JsonValueKind.False;
            }
            else if (Take("null"))
            {
                element.Kind = JsonValueKind.Null;
            }
            else
            {
                element.Kind = JsonValueKind.Number;
                while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0)
                {
                    at++;
                }
                if (at == begin)
                {
                    throw Error();
                }
            }
            element.Raw = text.Substring(begin, at - begin);
            return element;
        }

        /// <summary>The rest of a string, after its first quotation mark.</summary>
        private string ReadString()
        {
            var read = new StringBuilder();
            while (at < text.Length && text[at] != '"')
            {
                var next = text[at++];
                if (next != '\\')
                {
                    read.Append(next);
                }
                else if (text[at++] == 'u')
                {
                    read.Append((char)int.Parse(text.Substring(at, 4), NumberStyles.HexNumber));
                    at += 4;
                }
                else
                {
                    var escape = "bfnrt".IndexOf(text[at - 1]);
                    read.Append(escape < 0 ? text[at - 1] : "\b\f\n\r\t"[escape]);
                }
            }
            if (at >= text.Length)
            {
                throw Error();
            }
            at++;
            return read.ToString();
        }
    }

    public static class JsonSerializer
    {
        public static string Serialize<T>(T value)
        {
            var text = new StringBuilder();
            Write(text, value);
            return text.ToString();
        }

        private static void Write(StringBuilder text, object value)
        {
            if (value == null)
            {
                text.Append("null");
            }
            else if (value is string word)
            {
                text.Append('"');
                foreach (var c in word)
                {
                    var isPlain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
                    text.Append(isPlain ? c.ToString() : $"\\u{(int)c:x4}");
                }
                text.Append('"');
            }
            else if (value is bool flag)
            {
                text.Append(flag ? "true" : "false");
            }
            else if (value is IDictionary<string, object> members)
            {
                Write(text, '{', '}', members, member =>
                {
                    Write(text, member.Key);
                    text.Append(':');
                    Write(text, member.Value);
                });
            }
            else if (value is IEnumerable items)
            {
                Write(text, '[', ']', items.Cast<object>(), item => Write(text, item));
            }
            else
            {
                text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            }
        }

        private static void Write<T>(StringBuilder text, char open, char close, IEnumerable<T> all, Action<T> write)
        {
            text.Append(open);
            var isFirst = true;
            foreach (var each in all)
            {
                if (!isFirst)
                {
                    text.Append(',');
                }
                isFirst = false;
                write(each);
            }
            text.Append(close);
        }
    }
}
