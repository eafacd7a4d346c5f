package org.percale.spark;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * The pair of keys of a process, which it makes anew for each group. Any two processes derive the
 * same secret from the own pair and the public key of the other.
 */
final class Secrets {
  private final KeyPair pair;

  Secrets() throws GeneralSecurityException {
    pair = KeyPairGenerator.getInstance("X25519").generateKeyPair();
  }

  /** Returns the public key as text. */
  String publicKey() {
    return Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
  }

  /**
   * Returns the key for messages between this process and another one in one direction: X25519,
   * then HKDF with SHA-256. Both public keys are part of it.
   */
  SecretKey key(String senderKey, String receiverKey) throws GeneralSecurityException {
    String otherKey = senderKey.equals(publicKey()) ? receiverKey : senderKey;
    X509EncodedKeySpec encoded = new X509EncodedKeySpec(Base64.getDecoder().decode(otherKey));
    PublicKey other = KeyFactory.getInstance("X25519").generatePublic(encoded);
    KeyAgreement agreement = KeyAgreement.getInstance("X25519");
    agreement.init(pair.getPrivate());
    agreement.doPhase(other, true);
    byte[] extracted = hmac(new byte[32], agreement.generateSecret());
    byte[] info = ("percale-spark " + senderKey + " " + receiverKey + "\1").getBytes(StandardCharsets.UTF_8);
    return new SecretKeySpec(hmac(extracted, info), "AES");
  }

  private static byte[] hmac(byte[] key, byte[] text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text);
  }
}
