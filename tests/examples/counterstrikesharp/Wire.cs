using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

/// <summary>
/// The network between the plugin and the service. It can fail: as a whole, by never replying, or by losing
/// chosen requests or replies.
/// </summary>
internal sealed class Wire
{
    private readonly Uri service;
    private readonly List<Socket> open = new List<Socket>();
    private readonly List<string> heads = new List<string>();
    private TcpListener listener;

    /// <summary>Requests with this text never arrive.</summary>
    internal volatile string LoseRequest;
    /// <summary>The reply to the next request with this text never arrives.</summary>
    internal volatile string LoseReply;
    /// <summary>Requests arrive, and nothing comes back.</summary>
    internal volatile bool IsStalled;

    internal Wire(string url)
    {
        service = new Uri(url);
        listener = new TcpListener(IPAddress.Loopback, 0);
        Up();
    }

    internal int Port { get; private set; }

    /// <summary>How many requests or replies with this text were seen.</summary>
    internal int Count(string text)
    {
        lock (heads)
        {
            return heads.Count(head => head.Contains(text));
        }
    }

    internal void Up()
    {
        listener = new TcpListener(IPAddress.Loopback, Port);
        listener.Server.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        listener.Start();
        Port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var accepting = listener;
        Run(() =>
        {
            while (true)
            {
                Connect(accepting.AcceptSocket());
            }
        });
    }

    internal void Down()
    {
        listener.Stop();
        CloseAll();
    }

    internal void CloseAll()
    {
        lock (open)
        {
            open.ForEach(socket => socket.Close());
            open.Clear();
        }
    }

    private void Connect(Socket client)
    {
        var server = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        server.Connect(service.Host, service.Port);
        lock (open)
        {
            open.Add(client);
            open.Add(server);
        }
        var isLost = false;
        Run(() => Copy(client, server, head =>
        {
            if (LoseRequest != null && head.Contains(LoseRequest))
            {
                return false;
            }
            if (LoseReply != null && head.Contains(LoseReply))
            {
                LoseReply = null;
                isLost = true;
            }
            return true;
        }));
        Run(() => Copy(server, client, head => !isLost));
    }

    /// <summary>Copies until either side ends, or what was read may not pass.</summary>
    private void Copy(Socket from, Socket to, Func<string, bool> mayPass)
    {
        try
        {
            var buffer = new byte[65536];
            int count;
            while ((count = from.Receive(buffer)) > 0)
            {
                var head = Encoding.ASCII.GetString(buffer, 0, count);
                lock (heads)
                {
                    heads.Add(head);
                }
                if (!mayPass(head))
                {
                    break;
                }
                while (IsStalled)
                {
                    Thread.Sleep(5);
                }
                for (var sent = 0; sent < count;)
                {
                    sent += to.Send(buffer, sent, count - sent, SocketFlags.None);
                }
            }
        }
        finally
        {
            from.Close();
            to.Close();
        }
    }

    /// <summary>Ends without a word when a socket is closed.</summary>
    private static void Run(Action action)
    {
        var thread = new Thread(() =>
        {
            try
            {
                action();
            }
            catch (Exception error) when (error is SocketException || error is ObjectDisposedException)
            {
            }
        });
        thread.IsBackground = true;
        thread.Start();
    }
}
