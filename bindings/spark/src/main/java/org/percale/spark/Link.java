package org.percale.spark;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.percale.Code;
import org.percale.PercaleException;

/**
 * An encrypted connection to another process of the group. The messages of each direction are
 * numbered, so none can be repeated, left out or exchanged. One thread may send while another one
 * receives.
 */
final class Link implements AutoCloseable {
  private static final int TAG_BITS = 128;
  private static final int HEAD = 2 * Long.BYTES + Integer.BYTES;

  private final int rank;
  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final SecretKey sendKey;
  private final SecretKey receiveKey;
  private long sent;
  private long received;

  /** The connection to a rank. */
  Link(int rank, Socket socket, SecretKey sendKey, SecretKey receiveKey) throws IOException {
    this.rank = rank;
    this.socket = socket;
    this.sendKey = sendKey;
    this.receiveKey = receiveKey;
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }

  private static Cipher cipher(int mode, SecretKey key, long number, byte[] head) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, ByteBuffer.allocate(12).putLong(4, number).array()));
    cipher.updateAAD(head);
    return cipher;
  }

  private static byte[] head(long generation, long tag, int size) {
    return ByteBuffer.allocate(HEAD).putLong(generation).putLong(tag).putInt(size).array();
  }

  void send(long generation, long tag, byte[] message) throws IOException, GeneralSecurityException {
    byte[] head = head(generation, tag, message.length);
    out.write(head);
    out.write(cipher(Cipher.ENCRYPT_MODE, sendKey, sent++, head).doFinal(message));
    out.flush();
  }

  /** Returns the next message, which must have this generation, tag and size. */
  byte[] receive(long generation, long tag, int size, int milliseconds) throws IOException, GeneralSecurityException {
    socket.setSoTimeout(milliseconds);
    byte[] head = in.readNBytes(HEAD);
    if (head.length < HEAD) throw new IOException("rank " + rank + " has closed the connection");
    ByteBuffer found = ByteBuffer.wrap(head);
    if (found.getLong() != generation || found.getLong() != tag || found.getInt() != size) {
      throw new PercaleException(Code.DATA_LOSS, "rank " + rank + " sent generation " + found.getLong(0) + ", tag "
          + found.getLong(8) + ", " + found.getInt(16) + " bytes, wanted " + generation + ", " + tag + ", " + size);
    }
    byte[] secret = new byte[size + TAG_BITS / 8];
    in.readFully(secret);
    return cipher(Cipher.DECRYPT_MODE, receiveKey, received++, head).doFinal(secret);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
