package org.percale.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.spark.BarrierTaskContext;
import org.percale.Collective;

/**
 * The tasks of a barrier stage as a group. Its rank is the number of the partition, and its
 * generation grows with the attempts of the stage. Spark carries the addresses and public keys; the
 * tasks exchange bytes over TCP, encrypted.
 */
final class Group implements Collective, AutoCloseable {
  /** The time for another task to connect, or to prove that it is one. */
  private static final int PATIENCE_MS = 20_000;
  /** The tag of the message by which a task proves who it is; the library counts from 0. */
  private static final long HELLO = -1;

  private final int rank;
  private final long generation;
  private final Secrets secrets;
  private final Link[] links;
  private final ExecutorService senders = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "percale-spark-send");
    thread.setDaemon(true);
    return thread;
  });

  /** An address and a public key, as text for Spark. */
  private record Card(String host, int port, String key) {
    static Card of(String text) {
      String[] parts = text.split(" ");
      return new Card(parts[0], Integer.parseInt(parts[1]), parts[2]);
    }

    String text() {
      return host + " " + port + " " + key;
    }
  }

  /** Makes the tasks of the stage a group. Each of them calls it. */
  Group(BarrierTaskContext context) throws IOException, GeneralSecurityException {
    rank = context.partitionId();
    generation = context.stageAttemptNumber() + 1L;
    secrets = new Secrets();
    String address = context.getTaskInfos()[rank].address();
    String host = address.replaceFirst(":\\d+$", "");
    try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getByName(host))) {
      String own = new Card(host, server.getLocalPort(), secrets.publicKey()).text();
      List<Card> cards = new ArrayList<>();
      for (String card : context.allGather(own)) cards.add(Card.of(card));
      links = new Link[cards.size()];
      for (int other = 0; other < rank; ++other) links[other] = connect(other, cards.get(other));
      for (int missing = links.length - rank - 1; missing > 0;) missing -= accept(server, cards) ? 1 : 0;
    } catch (IOException | GeneralSecurityException | RuntimeException error) {
      close();
      throw error;
    }
  }

  private Link link(int other, Socket socket, Card card) throws IOException, GeneralSecurityException {
    String own = secrets.publicKey();
    return new Link(other, socket, secrets.key(own, card.key()), secrets.key(card.key(), own));
  }

  private Link connect(int other, Card card) throws IOException, GeneralSecurityException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(card.host(), card.port()), PATIENCE_MS);
    new DataOutputStream(socket.getOutputStream()).writeInt(rank);
    Link link = link(other, socket, card);
    link.send(generation, HELLO, new byte[0]);
    return link;
  }

  /** Accepts a connection. Returns whether it is of a task of the group that was missing. */
  private boolean accept(ServerSocket server, List<Card> cards) throws IOException {
    server.setSoTimeout(PATIENCE_MS);
    Socket socket;
    try {
      socket = server.accept();
    } catch (SocketTimeoutException late) {
      throw new IOException("a task of the barrier stage has not connected in " + PATIENCE_MS / 1000
          + " s; the executors must reach each other at the addresses that Spark knows, at any port", late);
    }
    try {
      socket.setSoTimeout(PATIENCE_MS);
      int other = new DataInputStream(socket.getInputStream()).readInt();
      if (other > rank && other < links.length && links[other] == null) {
        Link link = link(other, socket, cards.get(other));
        link.receive(generation, HELLO, 0, PATIENCE_MS);
        links[other] = link;
        return true;
      }
    } catch (IOException | GeneralSecurityException | RuntimeException stranger) {
      // A connection that does not prove to be of a task is dropped, and the task may still come.
    }
    socket.close();
    return false;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return links.length;
  }

  @Override
  public long generation() {
    return generation;
  }

  @Override
  public void exchange(long tag, ByteBuffer[] sends, ByteBuffer[] receives, Duration timeout) throws Exception {
    long end = timeout == null ? Long.MAX_VALUE : System.nanoTime() + timeout.toNanos();
    // Two tasks that both send first would wait for each other, so threads send.
    List<Future<?>> sent = new ArrayList<>();
    for (int other = 0; other < links.length; ++other) {
      byte[] message = new byte[sends[other].remaining()];
      if (message.length == 0) continue;
      sends[other].get(message);
      Link link = links[other];
      sent.add(senders.submit(() -> {
        link.send(generation, tag, message);
        return null;
      }));
    }
    for (int other = 0; other < links.length; ++other) {
      int size = receives[other].remaining();
      if (size == 0) continue;
      try {
        receives[other].put(links[other].receive(generation, tag, size, left(timeout, end)));
      } catch (SocketTimeoutException late) {
        throw new IOException("rank " + other + " has sent nothing in " + timeout.toSeconds() + " s", late);
      }
    }
    for (Future<?> one : sent) await(one);
  }

  /** Returns the milliseconds until the end of an exchange; 0 means no limit. */
  private static int left(Duration timeout, long end) {
    return timeout == null ? 0 : (int) Math.max(1, Math.min(Integer.MAX_VALUE, (end - System.nanoTime()) / 1_000_000));
  }

  private static void await(Future<?> sent) throws Exception {
    try {
      sent.get();
    } catch (ExecutionException error) {
      throw error.getCause() instanceof Exception cause ? cause : error;
    }
  }

  /** Ends all connections. */
  @Override
  public void close() throws IOException {
    senders.shutdownNow();
    if (links == null) return;
    for (Link link : links) {
      if (link != null) link.close();
    }
  }
}
