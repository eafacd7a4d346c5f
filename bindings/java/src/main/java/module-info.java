/** Percale trains and serves deep-learning models inside your program. */
module org.percale {
  exports org.percale;
  exports org.percale.raw;
}
