/* Tests data sets: their sources and the batches that they return. */
#include "check.h"

static percale_engine* engine = NULL;

static int32_t make_row(void* user, int64_t row, void* const* columns) {
  const int64_t* limit = (const int64_t*)user;
  ((float*)columns[0])[0] = (float)row;
  ((float*)columns[0])[1] = (float)row * 10;
  *(int64_t*)columns[1] = row % 3;
  return row >= *limit;
}

/* Checks that column `column` of the next batch has these `count` elements, all i64. */
static void check_next(percale_dataset* set, size_t columns, size_t column, const int64_t* wanted, int64_t count) {
  percale_tensor* batch[4] = {NULL, NULL, NULL, NULL};
  size_t c;
  int64_t i;
  OK(percale_dataset_next(set, batch));
  CHECK(percale_tensor_element_count(batch[column]) == count);
  for (i = 0; i < count && i < percale_tensor_element_count(batch[column]); ++i) {
    CHECK(((const int64_t*)percale_tensor_get_data(batch[column]))[i] == wanted[i]);
  }
  for (c = 0; c < columns; ++c) percale_tensor_release(batch[c]);
}

static void ranges_are_zipped_joined_and_repeated(void) {
  static const int64_t first[] = {5, 7, 9}, second[] = {11, 5, 7}, third[] = {9, 11}, right[] = {0, -1, -2};
  percale_dataset *odd = NULL, *down = NULL, *twice = NULL, *zipped = NULL, *joined = NULL, *two[2];
  percale_tensor* batch[2];
  OK(percale_dataset_range(engine, "odd", 5, 12, 2, &odd));
  OK(percale_dataset_range(engine, "down", 0, -4, -1, &down));
  CHECK(percale_dataset_rows(odd) == 4 && percale_dataset_rows(down) == 4);
  OK(percale_dataset_repeat(odd, 2, &twice));
  OK(percale_dataset_configure(twice, 3, -1, 0));
  check_next(twice, 1, 0, first, 3);
  check_next(twice, 1, 0, second, 3);
  two[0] = odd;
  two[1] = down;
  OK(percale_dataset_zip(two, 2, &zipped));
  OK(percale_dataset_configure(zipped, 3, -1, 1));
  check_next(zipped, 2, 1, right, 3);
  FAILS(percale_dataset_next(zipped, batch), PERCALE_OUT_OF_RANGE, "epoch is over");
  check_next(zipped, 2, 0, first, 3);
  two[1] = twice;
  OK(percale_dataset_concatenate(two, 2, &joined));
  CHECK(percale_dataset_rows(joined) == 12);
  percale_dataset_release(joined);
  two[1] = down;
  FAILS(percale_dataset_concatenate(two, 2, &joined), PERCALE_INVALID_ARGUMENT, "differ in columns");
  FAILS(percale_dataset_zip(two, 0, &joined), PERCALE_INVALID_ARGUMENT, "no data sets");
  FAILS(percale_dataset_repeat(odd, 0, &joined), PERCALE_INVALID_ARGUMENT, "out of range: 0");
  FAILS(percale_dataset_range(engine, "n", 0, 0, 1, &joined), PERCALE_INVALID_ARGUMENT, "no rows");
  two[1] = NULL;
  FAILS(percale_dataset_zip(two, 2, &joined), PERCALE_INVALID_ARGUMENT, "'datasets[1]' is NULL");
  REFUSES(percale_dataset_zip(NULL, 2, &joined), "datasets");
  REFUSES(percale_dataset_concatenate(NULL, 1, &joined), "datasets");
  REFUSES(percale_dataset_repeat(NULL, 1, &joined), "dataset");
  REFUSES(percale_dataset_range(engine, NULL, 0, 1, 1, &joined), "name");
  CHECK(joined == NULL);
  percale_dataset_release(odd); /* data sets made from it keep it alive */
  percale_dataset_release(down);
  check_next(twice, 1, 0, third, 2);
  percale_dataset_release(twice);
  percale_dataset_release(zipped);
}

static void a_function_makes_rows_and_a_graph_maps_them(void) {
  static const char* const names[] = {"x", "y"};
  static const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_I64};
  static const int64_t two[] = {2};
  static const int64_t* const dims[] = {two, NULL};
  static const size_t ranks[] = {1, 0};
  static const int64_t doubled[] = {0, 2, 4, 0};
  int64_t limit = 6, unknown = -1;
  percale_dataset *rows = NULL, *mapped = NULL;
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value in, out;
  percale_tensor* batch[2];
  OK(percale_dataset_generator(engine, names, dtypes, dims, ranks, 2, 8, make_row, &limit, &rows));
  OK(percale_dataset_configure(rows, 4, -1, 0));
  OK(percale_dataset_next(rows, batch));
  CHECK(((const float*)percale_tensor_get_data(batch[0]))[7] == 30);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  FAILS(percale_dataset_next(rows, batch), PERCALE_ABORTED, "row 6");
  CHECK(batch[0] == NULL && batch[1] == NULL);
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "y", PERCALE_DTYPE_I64, &unknown, 1, &in));
  OK(percale_builder_node(builder, "Add", "doubled"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_finish_node(builder, 1, &out));
  OK(percale_builder_set_outputs(builder, &out, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_dataset_map(rows, graph, &mapped));
  percale_dataset_release(rows);
  OK(percale_dataset_configure(mapped, 4, -1, 0));
  check_next(mapped, 1, 0, doubled, 4);
  percale_dataset_release(mapped);
  mapped = NULL;
  REFUSES(percale_dataset_generator(engine, names, dtypes, dims, ranks, 2, 8, NULL, NULL, &mapped), "callback");
  REFUSES(percale_dataset_map(NULL, graph, &mapped), "dataset");
  FAILS(percale_dataset_generator(engine, names, dtypes, dims, ranks, 2, 0, make_row, &limit, &mapped),
        PERCALE_INVALID_ARGUMENT, "0 rows");
  percale_builder_release(builder);
  percale_graph_release(graph);
}

static int ended = 0;
static void end_rows(void* user) {
  *(int64_t*)user = -1;
  ++ended;
}

static void what_makes_rows_ends_with_the_last_set_that_needs_it(void) {
  static const char* const names[] = {"x", "y"};
  static const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_I64};
  static const int64_t two[] = {2};
  static const int64_t* const dims[] = {two, NULL};
  static const size_t ranks[] = {1, 0};
  static const int64_t wanted[] = {0, 1, 2, 0};
  int64_t limit = 8;
  percale_dataset *rows = NULL, *twice = NULL, *parts[2] = {NULL, NULL};
  FAILS(percale_dataset_generator_owned(engine, names, dtypes, dims, ranks, 2, 0, make_row, &limit, end_rows, &rows),
        PERCALE_INVALID_ARGUMENT, "0 rows");
  REFUSES(percale_dataset_generator_owned(engine, names, dtypes, dims, ranks, 2, 8, NULL, &limit, end_rows, &rows),
          "callback");
  /* After an error the caller still owns the rows. */
  CHECK(ended == 0 && limit == 8 && rows == NULL);
  OK(percale_dataset_generator_owned(engine, names, dtypes, dims, ranks, 2, 8, make_row, &limit, end_rows, &rows));
  OK(percale_dataset_repeat(rows, 2, &twice));
  percale_dataset_release(rows);
  OK(percale_dataset_configure(twice, 4, -1, 0));
  OK(percale_dataset_distribute(twice, 2, parts));
  percale_dataset_release(twice);
  check_next(parts[0], 2, 1, wanted, 2);
  percale_dataset_release(parts[0]);
  check_next(parts[1], 2, 1, wanted + 2, 2);
  CHECK(ended == 0);
  percale_dataset_release(parts[1]);
  CHECK(ended == 1 && limit == -1);
  limit = 8;
  OK(percale_dataset_generator_owned(engine, names, dtypes, dims, ranks, 2, 8, make_row, &limit, NULL, &rows));
  percale_dataset_release(rows);
  CHECK(ended == 1 && limit == 8);
}

static void columns_tell_their_types_and_take_other_names(void) {
  static const char* const names[] = {"image", "label"};
  static const char* const others[] = {"x", "y"};
  static const char* const alike[] = {"x", "x"};
  static const char* const hollow[] = {"x", NULL};
  static const int64_t labels[] = {0, 2};
  const int64_t image_dims[3] = {4, 2, 3}, label_dims[1] = {4};
  percale_tensor* tensors[2] = {NULL, NULL};
  percale_dataset *set = NULL, *named = NULL, *zipped = NULL, *both[2], *part = NULL;
  percale_dtype dtype = 0;
  int64_t dims[8];
  size_t rank = 0;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, image_dims, 3, &tensors[0]));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_I64, label_dims, 1, &tensors[1]));
  ((int64_t*)percale_tensor_get_data(tensors[1]))[1] = 2;
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &set));
  CHECK(percale_dataset_column_count(set) == 2 && percale_dataset_column_count(NULL) == 0);
  CHECK(strcmp(percale_dataset_get_column_name(set, 0), "image") == 0);
  CHECK(strcmp(percale_dataset_get_column_name(set, 1), "label") == 0);
  CHECK(percale_dataset_get_column_name(set, 2) == NULL && percale_dataset_get_column_name(NULL, 0) == NULL);
  OK(percale_dataset_column_type(set, 0, &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_F32 && rank == 2 && dims[0] == 2 && dims[1] == 3);
  OK(percale_dataset_column_type(set, 1, &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_I64 && rank == 0);
  FAILS(percale_dataset_column_type(set, 2, &dtype, dims, &rank), PERCALE_OUT_OF_RANGE, "has 2 columns");
  CHECK(dtype == 0 && rank == 0);
  REFUSES(percale_dataset_column_type(NULL, 0, &dtype, dims, &rank), "dataset");
  REFUSES(percale_dataset_column_type(set, 0, &dtype, NULL, &rank), "out_dims");

  OK(percale_dataset_rename(set, others, 2, &named));
  CHECK(strcmp(percale_dataset_get_column_name(named, 1), "y") == 0);
  OK(percale_dataset_configure(named, 2, -1, 0));
  check_next(named, 2, 1, labels, 2);
  both[0] = set;
  both[1] = set;
  FAILS(percale_dataset_zip(both, 2, &zipped), PERCALE_INVALID_ARGUMENT, "two columns are called 'image'");
  both[1] = named;
  OK(percale_dataset_zip(both, 2, &zipped));
  CHECK(percale_dataset_column_count(zipped) == 4 && percale_dataset_rows(zipped) == 4);
  percale_dataset_release(zipped);
  percale_dataset_release(named);
  named = NULL;
  FAILS(percale_dataset_rename(set, others, 1, &named), PERCALE_INVALID_ARGUMENT, "1 names, but 2 columns");
  FAILS(percale_dataset_rename(set, alike, 2, &named), PERCALE_INVALID_ARGUMENT, "two columns are called 'x'");
  FAILS(percale_dataset_rename(set, hollow, 2, &named), PERCALE_INVALID_ARGUMENT, "'names[1]' is NULL");
  REFUSES(percale_dataset_rename(NULL, others, 2, &named), "dataset");
  REFUSES(percale_dataset_rename(set, NULL, 2, &named), "names");
  REFUSES(percale_dataset_rename(set, others, 2, NULL), "out_dataset");
  OK(percale_dataset_distribute(set, 1, &part));
  FAILS(percale_dataset_rename(part, others, 2, &named), PERCALE_FAILED_PRECONDITION, "distribute what is made");
  OK(percale_dataset_column_type(part, 0, &dtype, dims, &rank));
  CHECK(percale_dataset_column_count(part) == 2 && rank == 2 && named == NULL);
  percale_dataset_release(part);
  percale_dataset_release(set);
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
}

/* Ten rows in batches of four for three replicas: 1 + 1 + 2, 1 + 1 + 2, 0 + 1 + 1. */
static void replicas_get_parts_of_each_batch(void) {
  static const int64_t first[] = {0, 4}, second[] = {1, 5, 8}, third[] = {2, 3, 6, 7, 9};
  percale_dataset *set = NULL, *parts[3] = {NULL, NULL, NULL}, *other = NULL;
  percale_tensor* batch[1];
  int epoch;
  OK(percale_dataset_range(engine, "n", 0, 10, 1, &set));
  OK(percale_dataset_configure(set, 4, -1, 0));
  OK(percale_dataset_distribute(set, 3, parts));
  OK(percale_dataset_configure(set, 2, 7, 0)); /* the partition does not change */
  percale_dataset_release(set);
  CHECK(percale_dataset_rows(parts[0]) == 2 && percale_dataset_rows(parts[1]) == 3 &&
        percale_dataset_rows(parts[2]) == 5);
  for (epoch = 0; epoch < 3; ++epoch) {
    check_next(parts[2], 1, 0, third, 2);
    check_next(parts[0], 1, 0, first, 1);
    check_next(parts[0], 1, 0, first + 1, 1);
    check_next(parts[0], 1, 0, first, 0);
    FAILS(percale_dataset_next(parts[0], batch), PERCALE_OUT_OF_RANGE, "epoch is over");
    check_next(parts[2], 1, 0, third + 2, 2);
    check_next(parts[1], 1, 0, second, 1);
    check_next(parts[1], 1, 0, second + 1, 1);
    check_next(parts[1], 1, 0, second + 2, 1);
    check_next(parts[2], 1, 0, third + 4, 1);
    FAILS(percale_dataset_next(parts[1], batch), PERCALE_OUT_OF_RANGE, "epoch is over");
    FAILS(percale_dataset_next(parts[2], batch), PERCALE_OUT_OF_RANGE, "epoch is over");
  }
  FAILS(percale_dataset_configure(parts[0], 2, -1, 0), PERCALE_FAILED_PRECONDITION, "configure that one");
  FAILS(percale_dataset_repeat(parts[0], 2, &other), PERCALE_FAILED_PRECONDITION, "distribute what is made");
  FAILS(percale_dataset_distribute(parts[0], 1, &other), PERCALE_FAILED_PRECONDITION, "distribute what is made");
  FAILS(percale_dataset_distribute(parts[0], 0, &other), PERCALE_OUT_OF_RANGE, "wanted 1 to 65536");
  REFUSES(percale_dataset_distribute(NULL, 1, &other), "dataset");
  CHECK(other == NULL);
  for (epoch = 0; epoch < 3; ++epoch) percale_dataset_release(parts[epoch]);
}

/* A stream of `rows` rows of one i64 each; with `fails` it gives an error instead. */
typedef struct {
  int64_t rows, calls, ended, fails;
} numbers;

static percale_status* read_numbers(void* user, int64_t epoch, int64_t first_row, int64_t max_rows,
                                    void* const* columns, int64_t* out_rows) {
  numbers* own = (numbers*)user;
  const int64_t most = max_rows < 2 ? max_rows : 2, left = own->rows - first_row;
  int64_t i;
  ++own->calls;
  if (own->fails) return percale_status_create(PERCALE_DATA_LOSS, "a torn page", 11);
  *out_rows = left < most ? left : most;
  for (i = 0; i < *out_rows; ++i) ((int64_t*)columns[0])[i] = epoch * 100 + first_row + i;
  return NULL;
}

static void end_numbers(void* user) { ++((numbers*)user)->ended; }

static void a_stream_gives_rows_in_their_order(void) {
  static const char* const names[] = {"x"};
  static const percale_dtype dtypes[] = {PERCALE_DTYPE_I64}, small[] = {PERCALE_DTYPE_I4};
  static const int64_t* const dims[] = {NULL};
  static const size_t ranks[] = {0};
  static const int64_t first[] = {0, 1, 2}, second[] = {3, 4}, again[] = {100, 101, 102};
  numbers source = {5, 0, 0, 0};
  percale_dataset *set = NULL, *other = NULL, *parts[2];
  percale_tensor* batch[1];
  OK(percale_dataset_stream(engine, names, dtypes, dims, ranks, 1, read_numbers, &source, end_numbers, &set));
  CHECK(percale_dataset_rows(set) == -1);
  OK(percale_dataset_configure(set, 3, -1, 0));
  check_next(set, 1, 0, first, 3);
  check_next(set, 1, 0, second, 2);
  FAILS(percale_dataset_next(set, batch), PERCALE_OUT_OF_RANGE, "epoch is over");
  CHECK(batch[0] == NULL && source.calls == 4);
  source.fails = 1;
  FAILS(percale_dataset_next(set, batch), PERCALE_DATA_LOSS, "a torn page");
  source.fails = 0;
  check_next(set, 1, 0, again, 3);
  FAILS(percale_dataset_configure(set, 3, 1, 0), PERCALE_INVALID_ARGUMENT, "cannot be shuffled");
  FAILS(percale_dataset_repeat(set, 2, &other), PERCALE_FAILED_PRECONDITION, "come in a stream");
  FAILS(percale_dataset_distribute(set, 2, parts), PERCALE_FAILED_PRECONDITION, "come in a stream");
  CHECK(source.ended == 0);
  percale_dataset_release(set);
  CHECK(source.ended == 1);
  FAILS(percale_dataset_stream(engine, names, small, dims, ranks, 1, read_numbers, &source, end_numbers, &set),
        PERCALE_INVALID_ARGUMENT, "at least 8 bits");
  REFUSES(percale_dataset_stream(engine, names, dtypes, dims, ranks, 1, NULL, &source, end_numbers, &set), "callback");
  CHECK(source.ended == 1 && set == NULL);
}

int main(void) {
  OK(percale_engine_create(NULL, &engine));
  ranges_are_zipped_joined_and_repeated();
  a_function_makes_rows_and_a_graph_maps_them();
  what_makes_rows_ends_with_the_last_set_that_needs_it();
  a_stream_gives_rows_in_their_order();
  columns_tell_their_types_and_take_other_names();
  replicas_get_parts_of_each_batch();
  percale_engine_release(engine);
  return check_done();
}
