"""The parsers read the complete headers, and raise errors for input that they do not understand."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import percale_header  # noqa: E402
import plugin_header  # noqa: E402

ROOT = HERE.parent.parent
HEAD = '/** Doc. */\n#include <stdint.h>\n/** *thread-safe*. A thing. \\since 0.1 */\ntypedef struct percale_status percale_status;\n'
RELEASE = "/** Releases it. \\since 0.1 */\nPERCALE_API void percale_status_release(percale_status* status);\n"
SINCE = "/** Does it. \\since 0.2 */\n"


class TheHeader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = percale_header.parse_file(percale_header.FOLDER / "percale.h")

    def test_names_the_symbols_of_the_list_and_their_versions(self):
        lines = (ROOT / "c_api" / "symbols.txt").read_text(encoding="utf-8").splitlines()
        listed = dict(line.split() for line in lines if line and not line.startswith("#"))
        self.assertEqual({f.name: f.since for f in self.header.functions}, listed)

    def test_gives_every_handle_a_thread_word_and_a_comment(self):
        for handle in self.header.handles:
            self.assertIn(handle.thread, percale_header.THREAD_WORDS)
            self.assertTrue(handle.doc)
        trainer = next(h for h in self.header.handles if h.name == "percale_trainer")
        self.assertEqual((trainer.thread, trainer.any_thread), ("thread-compatible", ["percale_trainer_cancel"]))

    def test_says_what_each_parameter_is_for(self):
        run = {p.name: p for p in self.header.function("percale_session_run").params}
        self.assertEqual((run["feed_names"].role, run["feed_names"].count), ("array", "feed_count"))
        self.assertEqual((run["fetch_names"].role, run["fetch_names"].count), ("array", "fetch_count"))
        self.assertEqual((run["out_fetches"].role, run["out_fetches"].count), ("out_array", "fetch_count"))
        self.assertTrue(run["out_fetches"].owned)
        spec = {p.name: p for p in self.header.function("percale_trainer_from_spec").params}
        self.assertEqual((spec["spec"].role, spec["spec"].count), ("text", "spec_size"))
        self.assertTrue(spec["data_folder"].nullable and spec["options"].nullable and not spec["spec"].nullable)
        memory = {p.name: p for p in self.header.function("percale_tensor_from_memory").params}
        self.assertEqual([memory[n].role for n in ("dims", "data", "deleter", "user")],
                         ["array", "memory", "callback", "user"])

    def test_knows_what_ends_what_a_callback_is_given(self):
        owned = {p.name: p for p in self.header.function("percale_dataset_generator_owned").params}
        self.assertEqual([owned[n].role for n in ("callback", "user", "destroy")], ["callback", "user", "destroy"])

    def test_tells_a_reference_to_a_status_from_an_error(self):
        for name in ("percale_status_retain", "percale_status_create"):
            function = self.header.function(name)
            self.assertTrue(function.returns_owned and not function.fails, name)

    def test_knows_the_table_that_a_host_fills(self):
        join = {p.name: p.role for p in self.header.function("percale_trainer_join").params}
        self.assertEqual(join, {"trainer": "in", "collective": "table", "destroy": "destroy"})
        table = next(s for s in self.header.structs if s.name == "percale_collective")
        self.assertEqual([f.name for f in table.fields],
                         ["struct_size", "user", "rank", "size", "generation", "exchange", "lost"])
        self.assertEqual([f.name for f in table.fields if self.header.kind(f.type.base) == "callback"], ["exchange", "lost"])

    def test_knows_what_is_owned_and_what_is_borrowed(self):
        self.assertTrue(self.header.function("percale_engine_retain").returns_owned)
        self.assertTrue(self.header.function("percale_tensor_get_dims").returns_borrowed)
        self.assertTrue(self.header.function("percale_engine_create").fails)

    def test_has_every_constant(self):
        codes, dtypes, levels, value = self.header.enums
        self.assertEqual((codes.name, len(codes.constants), codes.constants[-1].value), ("percale_code", 17, 16))
        self.assertEqual((dtypes.name, len(dtypes.constants), value.constants), ("percale_dtype", 27, []))
        self.assertEqual([(c.name, c.value) for c in levels.constants][2:], [("PERCALE_LOG_WARNING", 2), ("PERCALE_LOG_ERROR", 3)])
        self.assertEqual([(m.name, m.value, m.type) for m in self.header.macros],
                         [("PERCALE_NO_VALUE", -1, "percale_value"), ("PERCALE_NUL_ENDED", -1, "size_t"),
                          ("PERCALE_FOREVER", -1, "int64_t")])


class TheParser(unittest.TestCase):
    def refuses(self, text, why):
        with self.assertRaises(percale_header.HeaderError) as caught:
            percale_header.parse(HEAD + text + RELEASE)
        self.assertIn(why, str(caught.exception))

    def test_reads_a_small_header(self):
        header = percale_header.parse(HEAD + RELEASE + SINCE + "PERCALE_API int64_t percale_status_size(const percale_status* s);\n")
        self.assertEqual(str(header.function("percale_status_size").params[0].type), "const percale_status*")
        self.assertEqual(header.function("percale_status_size").since, "0.2")

    def test_names_the_line(self):
        self.refuses("int x;\n", "percale.h:5: not understood: 'int x;'")

    def test_refuses_unknown_types(self):
        self.refuses(SINCE + "PERCALE_API void percale_f(long x);\n", "an unknown type: 'long'")
        self.refuses(SINCE + "PERCALE_API void percale_f(unsigned int x);\n", "not understood: 'unsigned int'")

    def test_refuses_handles_by_value(self):
        self.refuses(SINCE + "PERCALE_API void percale_f(percale_status x);\n", "by value")

    def test_refuses_outs_that_are_not_last(self):
        self.refuses(SINCE + "PERCALE_API void percale_f(int64_t* out_a, int64_t b);\n", "outs are not last")

    def test_refuses_arrays_that_nothing_counts(self):
        self.refuses(SINCE + "PERCALE_API void percale_f(const int64_t* values);\n", "which parameter counts values?")
        self.refuses(SINCE + "PERCALE_API void percale_f(const void* data);\n", "how large is the memory at data?")
        self.refuses(SINCE + "PERCALE_API void percale_f(int64_t* out_things);\n", "one or several")

    def test_reads_the_comment_of_a_field_above_it_and_behind_it(self):
        struct = "/** S. \\since 0.1 */\ntypedef struct percale_s {\n  uint32_t struct_size; /**< in bytes */\n" \
            "  /** A number\n   * of two lines. */\n  int32_t number;\n  int32_t plain;\n} percale_s;\n"
        fields = percale_header.parse(HEAD + struct + RELEASE).structs[0].fields
        self.assertEqual([(f.name, f.doc) for f in fields],
                         [("struct_size", "in bytes"), ("number", "A number of two lines."), ("plain", "")])

    def test_refuses_structs_that_cannot_grow(self):
        self.refuses("/** S. \\since 0.1 */\ntypedef struct percale_s {\n  int32_t number;\n} percale_s;\n",
                     "percale_s does not begin with struct_size")

    def test_refuses_a_destroy_without_a_user(self):
        self.refuses("/** D. \\since 0.1 */\ntypedef void (*percale_destroy)(void* user);\n" + SINCE +
                     "PERCALE_API void percale_f(percale_destroy destroy);\n", "does not follow 'void* user'")

    def test_refuses_a_status_that_may_be_dropped(self):
        self.refuses(SINCE + "PERCALE_API percale_status* percale_f(void);\n", "PERCALE_NODISCARD")

    def test_refuses_what_has_no_comment(self):
        self.refuses("PERCALE_API void percale_f(void);\n", "percale_f has no comment of its own")

    def test_refuses_what_does_not_say_since_when(self):
        self.refuses("/** Does it. */\nPERCALE_API void percale_f(void);\n", "since when")

    def test_refuses_a_handle_without_a_thread_word(self):
        self.refuses("/** A thing. \\since 0.1 */\ntypedef struct percale_x percale_x;\n", "exactly one of thread-safe")

    def test_refuses_constants_without_a_value(self):
        self.refuses("/** E. \\since 0.1 */\ntypedef int32_t percale_e;\nenum { PERCALE_A };\n", "a constant of percale_e")

    def test_refuses_macros_with_parameters(self):
        self.refuses("#define PERCALE_MAX(a) (a)\n", "not understood")
        self.refuses("#if PERCALE_NEW\n", "not understood")

    def test_refuses_a_name_twice(self):
        self.refuses(RELEASE, "declared twice")


class ThePluginHeader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = percale_header.parse_file(percale_header.FOLDER / "percale.h")
        cls.header = plugin_header.parse_file(percale_header.FOLDER / "percale_plugin.h", cls.base)

    def parse(self, fields):
        text = f"/** Doc. */\n/** A table. \\since 0.1 */\ntypedef struct percale_t {{\n{fields}\n}} percale_t;\n"
        return plugin_header.parse(text, self.base).structs[0]

    def refuses(self, fields, why):
        with self.assertRaises(percale_header.HeaderError) as caught:
            self.parse(fields)
        self.assertIn(why, str(caught.exception))

    def test_has_every_table_with_every_slot(self):
        text = percale_header.whole_text(percale_header.FOLDER / "percale_plugin.h", without=("percale.h",))
        for struct in self.header.structs:
            body = text.split(f"typedef struct {struct.name} {{")[1].split(f"}} {struct.name};")[0]
            self.assertEqual(len(struct.fields), re.sub(r"/\*.*?\*/", "", body, flags=re.S).count(";"), struct.name)

    def test_reads_pointers_to_functions_that_take_such_pointers(self):
        host = next(s for s in self.header.structs if s.name == "percale_host_run_api")
        slot = next(f for f in host.fields if f.name == "parallel_for").type
        self.assertEqual([p.name for p in slot.params], ["run", "pieces", "body", "arg"])
        self.assertEqual([p.name for p in slot.params[2].type.params], ["arg", "piece"])

    def test_gives_each_field_the_comment_that_it_has_or_shares(self):
        fields = self.parse("  /* Shared. */\n  int32_t a;\n  /** Own. */\n  int32_t b;\n  int32_t (*c)(void);").fields
        self.assertEqual([f.doc for f in fields], ["Shared.", "Own.", "Shared."])
        self.assertEqual(fields[2].type.params, [])
        behind = self.parse("  int32_t a; /**< One. */\n  int32_t b;\n  int32_t c; /**< Of\n   * two lines. */").fields
        self.assertEqual([f.doc for f in behind], ["One.", "", "Of two lines."])

    def test_has_the_constants_of_its_own(self):
        kinds, errors = self.header.enums
        self.assertEqual((kinds.name, len(kinds.constants)), ("percale_attribute_kind", 8))
        # So that neither is taken for the other.
        codes = next(e for e in self.base.enums if e.name == "percale_code")
        self.assertFalse({c.value for c in errors.constants} & {c.value for c in codes.constants})

    def test_knows_what_of_the_other_header_it_needs(self):
        self.assertLessEqual({"percale_status", "percale_dtype", "percale_tensor"}, self.header.base_types())
        self.assertNotIn("percale_trainer", self.header.base_types())

    def test_knows_what_the_needed_declarations_need_in_turn(self):
        self.assertLessEqual({"percale_collective", "percale_exchange_function", "percale_lost_function", "percale_bytes"},
                             self.header.base_types())

    @unittest.skipUnless(shutil.which("cc") and sys.maxsize > 2**32, "no C compiler, or pointers of 32 bits")
    def test_lays_tables_out_as_c_does(self):
        sizes = {"char": 1, "int32_t": 4, "uint32_t": 4, "float": 4}
        checks = []
        for struct in self.header.structs:
            at = widest = 0
            for field in struct.fields:
                base = getattr(field.type, "base", "")
                if base.startswith("percale_") and not field.type.stars:
                    base = next(e.base for e in self.base.enums + self.header.enums if e.name == base)
                size = 8 if getattr(field.type, "stars", True) else sizes.get(base, 8)
                at, widest = -(-at // size) * size, max(widest, size)
                checks.append(f"_Static_assert(offsetof({struct.name}, {field.name}) == {at}, \"{struct.name}.{field.name}\");")
                at += size
            checks.append(f"_Static_assert(sizeof({struct.name}) == {-(-at // widest) * widest}, \"{struct.name}\");")
        source = '#include "percale_plugin.h"\n' + "\n".join(checks)
        compiled = subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-x", "c", f"-I{percale_header.FOLDER}", "-"], input=source, text=True,
                                  capture_output=True)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_refuses_what_no_language_could_lay_out(self):
        self.refuses("  long x;", "an unknown type: 'long'")
        self.refuses("  percale_status status;", "status is percale_status by value")
        self.refuses("  int32_t a : 3;", "not understood")
        self.refuses("  int32_t a;\n  int32_t a;", "two fields a")
        self.refuses("  int32_t a;\n  /** Of nothing. */", "ends with a comment")


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"test cases: {result.testsRun} | {result.testsRun - failed} passed | {failed} failed | {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)
