#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(percale_status* s) { if (s) { fprintf(stderr, "%s\n", percale_status_message(s, NULL)); exit(1); } }

int main(void) {
  const char* spec =
      "{\"model\": [{\"layer\": \"Flatten\"}, {\"layer\": \"Dense\", \"units\": 128, \"activation\": \"relu\"},"
      "             {\"layer\": \"Dense\", \"units\": 10}], \"input_shape\": [28, 28, 1],"
      " \"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true, \"metrics\": [\"accuracy\"],"
      " \"optimizer\": \"adam\", \"batch_size\": 64, \"epochs\": 1, \"data\": {"
      " \"train\": {\"x\": \"train-images-idx3-ubyte\", \"y\": \"train-labels-idx1-ubyte\", \"scale\": 0.00392156862745098},"
      " \"test\": {\"x\": \"t10k-images-idx3-ubyte\", \"y\": \"t10k-labels-idx1-ubyte\", \"scale\": 0.00392156862745098}}}";
  percale_engine* engine; percale_trainer* trainer; percale_text* result;
  ok(percale_engine_create(NULL, &engine));
  ok(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  ok(percale_trainer_fit(trainer, NULL, 0, NULL, NULL));
  ok(percale_trainer_evaluate(trainer, NULL, &result));
  printf("%s\n", percale_text_data(result, NULL)); /* {"loss":...,"accuracy":...} */
  percale_text_release(result), percale_trainer_release(trainer), percale_engine_release(engine);
}
