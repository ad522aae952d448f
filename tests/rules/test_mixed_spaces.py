"""PPL401 to PPL404, PPL701, PPL706 and PPL101's exceptions: what is reported at which level, and what is not."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from pplint.finding import Finding
from pplint.judge.check import JudgeRequest, judge
from pplint.rules.pool_samples import BUFFERS, HYBRID
from pplint.rules.samples import LAYERS, UTILS

HEAD = """\
from sglang.srt.mem_cache.sample_buffers import SampleBuffers
from sglang.srt.mem_cache.sample_hybrid import SampleHybridPool
from sglang.srt.models.sample_model import SampleModel


"""


class Case(NamedTuple):
    title: str
    code: str
    body: str
    found: tuple[str, ...]
    """The levels of the findings, in the order of their lines; empty: nothing is reported."""


def judged(root: Path, code: str, body: str) -> list[Finding]:
    package = root / "sglang"
    sample = ("srt/case.py", HEAD + textwrap.dedent(body))
    for name, text in (BUFFERS, HYBRID, LAYERS, UTILS, sample):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    answer = judge(JudgeRequest(str(root), (str(package / "srt/case.py"),), {}, frozenset({code})))
    assert not answer.troubles
    return list(answer.findings)


CASES = [
    Case(
        "a pool of a tree without stages: nothing in it knows a first layer",
        "PPL401",
        """
        class Case:
            def __init__(self, layer_num):
                self.layer_num = layer_num
                self.k_buffer = [None for _ in range(self.layer_num)]

            def set_key(self, layer):
                self.k_buffer[layer.layer_id] = None
        """,
        (),
    ),
    Case(
        "a list with an entry per layer of a pool that knows its first layer",
        "PPL401",
        """
        class Case:
            def __init__(self, pool: SampleBuffers):
                self.layer_num = pool.layer_num
                self.rows = [None for _ in range(self.layer_num)]

            def set_row(self, layer):
                self.rows[layer.layer_id] = None
        """,
        ("error",),
    ),
    Case(
        "a list with an entry per layer of the model, under the name of a stage's count",
        "PPL401",
        """
        class Case(SampleBuffers):
            def __init__(self, config):
                self.layer_num = config.num_hidden_layers
                self.rows = [None for _ in range(self.layer_num)]

            def set_row(self, layer):
                self.rows[layer.layer_id] = None
        """,
        (),
    ),
    Case(
        "a list with an entry per layer of the model, by what the only builder counts",
        "PPL401",
        """
        class Case:
            def __init__(self, layer_num, pool: SampleBuffers):
                self.start_layer = pool.start_layer
                self.layer_num = layer_num
                self.rows = [None for _ in range(self.layer_num)]

            def set_row(self, layer):
                self.rows[layer.layer_id] = None


        def build(config, pool):
            return Case(config.num_hidden_layers, pool)
        """,
        (),
    ),
    Case(
        "an inner list whose pool is built without the range",
        "PPL401",
        """
        class Case(SampleBuffers):
            def __init__(self, start_layer, layer_num):
                super().__init__(start_layer, layer_num)
                self.inner = self.make(layer_num)

            def make(self, layer_num):
                return SampleInner(layer_num)

            def peek(self, layer):
                return self.inner.k_buffer[layer.layer_id]


        class SampleInner(SampleBuffers):
            def __init__(self, layer_num):
                super().__init__(0, layer_num)
        """,
        ("error",),
    ),
    Case(
        "a setter overrides one that subtracts",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_key_buffer(self, layer_id):
                return self.k_buffer[layer_id]
        """,
        ("error",),
    ),
    Case(
        "one branch forgets the first layer",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_key_buffer(self, layer_id):
                if self.packed:
                    return self.k_buffer[layer_id - self.start_layer].view()
                return self.k_buffer[layer_id]
        """,
        ("error",),
    ),
    Case(
        "only the first stage comes here",
        "PPL401",
        """
        class Case(SampleBuffers):
            def peek(self, layer):
                if self.start_layer == 0:
                    return self.k_buffer[layer.layer_id]
        """,
        (),
    ),
    Case(
        "the list of a pool of unknown class, from outside",
        "PPL401",
        """
        class Case:
            def __init__(self, runner):
                self.token_to_kv_pool = runner.token_to_kv_pool

            def peek(self, layer):
                return self.token_to_kv_pool.k_buffer[layer.layer_id]
        """,
        ("error",),
    ),
    Case(
        "the list of something else of unknown class",
        "PPL401",
        """
        def peek(batch, layer):
            return batch.k_buffer[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a parameter that indexes the own lists is handed to an accessor once",
        "PPL401",
        """
        class Case(SampleBuffers):
            def copy(self, other_pool, layer_id):
                self.k_buffer[layer_id] = other_pool.get_key_buffer(layer_id)
                return self.k_buffer[layer_id]
        """,
        ("info", "info"),
    ),
    Case(
        "an accessor is handed a parameter that indexes the own lists",
        "PPL402",
        """
        class Case(SampleBuffers):
            def copy(self, other_pool, layer_id):
                self.k_buffer[layer_id] = other_pool.get_key_buffer(layer_id)
                return self.k_buffer[layer_id]
        """,
        ("error",),
    ),
    Case(
        "a layer id has a number as its default",
        "PPL101",
        """
        class Case:
            def __init__(self, runner):
                self.pool = runner.pool

            def width(self, layer_id: int = 0, *, last=-1):
                return self.pool.get_key_buffer(layer_id).shape[last]
        """,
        ("error",),
    ),
    Case(
        "a layer id has None as its default, another number is none",
        "PPL101",
        """
        class Case(SampleBuffers):
            def width(self, layer_id=None, dim: int = -1):
                layer_id = self.start_layer if layer_id is None else layer_id
                return self.get_key_buffer(layer_id).shape[dim]
        """,
        (),
    ),
    Case(
        "an iterator from the first slot to the end of the stage",
        "PPL602",
        """
        class Case(SampleModel):
            def mine(self):
                return [layer for layer in islice(self.layers, self.end_layer)]
        """,
        ("error",),
    ),
    Case(
        "an iterator over the stage",
        "PPL602",
        """
        class Case(SampleModel):
            def mine(self):
                return [layer for layer in islice(self.layers, self.start_layer, self.end_layer)]
        """,
        (),
    ),
    Case(
        "a platform must be on",
        "PPL401",
        """
        class Case(SampleBuffers):
            def peek(self, layer):
                if _is_npu:
                    return self.k_buffer[layer.layer_id]
        """,
        ("warning",),
    ),
    Case(
        "the counter is shifted",
        "PPL401",
        """
        class Case(SampleBuffers):
            def wait(self, layer):
                self.layer_transfer_counter.wait_until(layer.layer_id - self.start_layer)
        """,
        (),
    ),
    Case(
        "another thing to wait for",
        "PPL401",
        """
        class Case(SampleBuffers):
            def wait(self, layer):
                self.deadline.wait_until(layer.layer_id)
        """,
        (),
    ),
    Case(
        "a list that grows by one for each layer of the stage",
        "PPL401",
        """
        class Case(SampleBuffers):
            def fill(self, config):
                self.rows = []
                for i in range(self.start_layer, self.end_layer):
                    self.rows.append(i)

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        ("error",),
    ),
    Case(
        "a list that grows for some layers of the stage",
        "PPL401",
        """
        class Case(SampleBuffers):
            def fill(self, config):
                self.rows = []
                for i in range(self.start_layer, self.end_layer):
                    if i in config.kinds:
                        self.rows.append(i)

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a list that is padded for the layers before",
        "PPL401",
        """
        class Case(SampleBuffers):
            def fill(self, config):
                self.rows = [None] * self.start_layer
                for i in range(self.start_layer, self.end_layer):
                    self.rows.append(i)

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a list that is filled up later",
        "PPL401",
        """
        class Case(SampleBuffers):
            def fill(self, config):
                self.rows = []
                for i in range(self.start_layer, self.end_layer):
                    self.rows.append(i)
                self.rows[:0] = [None] * self.start_layer

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a list that grows for all layers of the model",
        "PPL401",
        """
        class Case(SampleBuffers):
            def fill(self, config):
                self.rows = []
                for i in range(config.num_hidden_layers):
                    self.rows.append(i)

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a list of another object that grows by one for each layer of the stage",
        "PPL401",
        """
        class Rows:
            def __init__(self, start_layer, end_layer):
                self.start_layer = start_layer
                self.rows = []
                for i in range(start_layer, end_layer):
                    self.rows.append(i)

        class Case:
            def __init__(self, runner: Rows):
                self.rows = runner.rows

            def row(self, layer):
                return self.rows[layer.layer_id]
        """,
        ("error",),
    ),
    Case(
        "a private method that every call hands a GLOBAL id",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                self._wait(layer_id)
                return self.v_buffer[layer_id - self.start_layer]

            def set_row(self, layer):
                self._wait(layer.layer_id)

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)
        """,
        ("error",),
    ),
    Case(
        "a private method that some call hands something else",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                self._wait(layer_id)
                return self.v_buffer[layer_id - self.start_layer]

            def set_row(self, layer):
                self._wait(layer)

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)
        """,
        (),
    ),
    Case(
        "a private method that some call hands a LOCAL index",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                self._wait(layer_id)
                return self.v_buffer[layer_id - self.start_layer]

            def set_row(self, layer):
                self._wait(layer.layer_id - self.start_layer)

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)
        """,
        (),
    ),
    Case(
        "a private method that an heir hands a LOCAL index",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                self._wait(layer_id)
                return self.v_buffer[layer_id - self.start_layer]

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)

        class Heir(Case):
            def wait_all(self):
                for index in range(self.layer_num):
                    self._wait(index)
        """,
        (),
    ),
    Case(
        "a private method that an inner function calls",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                def inner(layer_id):
                    self._wait(layer_id)

                inner(layer_id - self.start_layer)
                return self.v_buffer[layer_id - self.start_layer]

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)
        """,
        (),
    ),
    Case(
        "a private method whose caller gives its id another value first",
        "PPL401",
        """
        class Case(SampleBuffers):
            def get_row(self, layer_id):
                row = self.v_buffer[layer_id - self.start_layer]
                layer_id -= self.start_layer
                self._wait(layer_id)
                return row

            def _wait(self, layer_id):
                self.layer_transfer_counter.wait_until(layer_id)
        """,
        (),
    ),
    Case(
        "a draft model numbers its own layers",
        "PPL401",
        """
        class CaseMTP(SampleBuffers):
            def peek(self, layer):
                return self.k_buffer[layer.layer_id]
        """,
        (),
    ),
    Case(
        "a plain table of all layers",
        "PPL401",
        """
        class Case:
            def __init__(self, config):
                self.scales = [None for _ in range(config.num_hidden_layers)]

            def scale(self, layer):
                return self.scales[layer.layer_id]
        """,
        (),
    ),
    Case(
        "definitions that a call may reach disagree",
        "PPL401",
        """
        class One:
            def __init__(self, pool):
                self.table = [None for _ in range(pool.layer_num)]

            def load(self, layer_id):
                return self.table[layer_id]


        class Other(SampleBuffers):
            def load(self, layer_id):
                return self.k_buffer[layer_id - self.start_layer]


        def run(host, layer):
            host.load(layer.layer_id)
        """,
        (),
    ),
    Case(
        "a loop counts the stage's layers for an accessor",
        "PPL402",
        """
        class Case(SampleBuffers):
            def total(self):
                found = 0
                for layer_id in range(self.layer_num):
                    found += len(self.get_key_buffer(layer_id)) + len(self.k_buffer[layer_id])
                return found
        """,
        ("error",),
    ),
    Case(
        "an inner pool that is built without a range is asked with its own numbers",
        "PPL402",
        """
        class Case:
            def __init__(self, sparse_ids, start_layer):
                self.start_layer = start_layer
                self.index_pool = SampleBuffers(len(sparse_ids))

            def shapes(self):
                pool = self.index_pool
                return [pool.get_key_buffer(i).shape for i in range(pool.layer_num)]
        """,
        (),
    ),
    Case(
        "an override that forgets to subtract does not speak for the interface",
        "PPL402",
        """
        class Case(SampleBuffers):
            def get_key_buffer(self, layer_id):
                return self.k_buffer[layer_id]


        def run(host):
            for i in range(host.pool.layer_num):
                host.pool.get_key_buffer(i)
        """,
        ("error",),
    ),
    Case(
        "what an inner pool is asked for is less the first layer of the outer one",
        "PPL402",
        """
        class Case:
            def __init__(self, inner, start_layer):
                self.start_layer = start_layer
                self.inner_pool = inner

            def get_key_buffer(self, layer_id):
                return self.inner_pool.get_key_buffer(layer_id - self.start_layer)
        """,
        (),
    ),
    Case(
        "a pool is asked for what its own first layer was subtracted from",
        "PPL402",
        """
        def run(host, layer):
            pool = host.pool
            local = layer.layer_id - pool.start_layer
            return host.pool.get_key_buffer(local), pool.get_key_buffer(layer.layer_id)
        """,
        ("error",),
    ),
    Case(
        "the counter of a stage slice picks from the padded list",
        "PPL402",
        """
        class Case(SampleModel):
            def walk(self):
                for i, layer in enumerate(self.layers[self.start_layer : self.end_layer]):
                    layer(self.layers[i])
        """,
        ("error",),
    ),
    Case(
        "the counter of a stage slice decides what is captured",
        "PPL402",
        """
        class Case(SampleModel):
            def walk(self):
                for i, layer in enumerate(self.layers[self.start_layer : self.end_layer]):
                    if i in self.layers_to_capture:
                        layer()
        """,
        ("error",),
    ),
    Case(
        "the counter starts at the first layer, or indexes what the stage keeps",
        "PPL402",
        """
        class Case(SampleModel):
            def walk(self, caches):
                for i, layer in enumerate(self.layers[self.start_layer : self.end_layer], self.start_layer):
                    if i in self.layers_to_capture:
                        layer(self.config.layer_types[i])
                for i, layer in enumerate(self.layers[self.start_layer : self.end_layer]):
                    layer(caches[i], self.config.layer_types[i + self.start_layer])
        """,
        (),
    ),
    Case(
        "a slice that takes the end in",
        "PPL403",
        """
        class Case(SampleModel):
            def mine(self):
                return self.layers[self.start_layer : self.end_layer + 1]
        """,
        ("error",),
    ),
    Case(
        "the last layer is asked for",
        "PPL403",
        """
        class Case(SampleModel):
            def is_last(self, layer):
                return layer.layer_id == self.end_layer, layer.layer_id == self.end_layer - 1
        """,
        ("error",),
    ),
    Case(
        "an upper bound beside the lower one",
        "PPL403",
        """
        def own(model, name, layer, start_layer, end_layer):
            i = layer.number
            if i < start_layer or i > end_layer:
                return False
            return True
        """,
        ("error",),
    ),
    Case(
        "an upper bound before the lower one",
        "PPL403",
        """
        def own(layer, other, start_layer, end_layer):
            i, k = layer.number, other.number
            return i > end_layer or i < start_layer, end_layer >= k and start_layer <= k
        """,
        ("error", "error"),
    ),
    Case(
        "bounds of two things",
        "PPL403",
        """
        def own(layer, other, start_layer, end_layer):
            return layer.first < start_layer or layer.past > end_layer, other.past > end_layer or other.first < start_layer
        """,
        (),
    ),
    Case(
        "an upper bound after the lower one",
        "PPL403",
        """
        class Case(SampleModel):
            def load_weights(self, weights):
                for name, weight in weights:
                    where = number_in(name)
                    if where < self.start_layer:
                        continue
                    if where > self.end_layer:
                        continue
        """,
        ("error",),
    ),
    Case(
        "an upper bound of a layer's id by itself",
        "PPL403",
        """
        class Case:
            def __init__(self, config, pp_group):
                self.model = SampleModel(config, pp_group)

            def load_weights(self, weights):
                for name, weight in weights:
                    layer_id = get_layer_id(name)
                    if layer_id > self.model.end_layer:
                        continue
                    where = int(name.split(".")[2])
                    if self.model.end_layer < where:
                        continue
                    if not layer_id <= self.model.end_layer:
                        continue
        """,
        ("error", "error", "error"),
    ),
    Case(
        "mirrored and joined by and",
        "PPL403",
        """
        def own(layer, start_layer, end_layer):
            i = layer.number
            return end_layer >= i >= start_layer, i >= start_layer and i <= end_layer, start_layer <= i and end_layer >= i
        """,
        ("error", "error", "error"),
    ),
    Case(
        "bounds that leave the end out",
        "PPL403",
        """
        def own(layer, name, start_layer, end_layer, stop):
            i = layer.number
            layer_id = get_layer_id(name)
            one = i < start_layer or i >= end_layer, i < start_layer or i > end_layer - 1
            two = layer_id >= end_layer, layer_id > end_layer - 1, layer_id + 1 <= end_layer, layer_id < end_layer
            next_layer_id = layer_id + 1
            three = next_layer_id <= end_layer, start_layer <= end_layer, stop <= end_layer, end_layer <= stop
            return one, two, three, start_layer > end_layer, end_layer > layer.end_layer
        """,
        (),
    ),
    Case(
        "an end in a local",
        "PPL403",
        """
        def ids(info):
            last = info.end_layer + 1
            return list(range(info.start_layer, last))
        """,
        ("error",),
    ),
    Case(
        "a count with one more",
        "PPL403",
        """
        def slots(start_layer, end_layer):
            return end_layer - start_layer + 1
        """,
        ("info",),
    ),
    Case(
        "other ends, and the next stage's first layer by itself",
        "PPL403",
        """
        def ids(first, last, start_layer, end_layer, tbo_end):
            following = end_layer + 1
            return range(first, last + 1), range(start_layer, tbo_end + 1), following, start_layer + 1
        """,
        (),
    ),
    Case(
        "an inner pool is told that it starts at 0",
        "PPL404",
        """
        def build(ids, start_layer):
            inner = SampleBuffers(len(ids), start_layer=0)
            return SampleHybridPool(ids, start_layer, full_kv_pool=inner)
        """,
        (),
    ),
    Case(
        "one of two builders passes the range",
        "PPL404",
        """
        def build(ids, start_layer, shared):
            if shared:
                inner = SampleBuffers(len(ids), start_layer=start_layer)
            else:
                inner = SampleBuffers(len(ids))
            return SampleHybridPool(ids, start_layer, full_kv_pool=inner)
        """,
        ("error",),
    ),
    Case(
        "a property that returns a number",
        "PPL701",
        """
        class Case:
            @property
            def start_layer(self):
                return 0

            def get_key_buffer(self, layer_id):
                return self.k_buffer[layer_id - self.start_layer]
        """,
        ("error",),
    ),
    Case(
        "a number that is replaced later, a model, and a pool without GLOBAL ids",
        "PPL701",
        """
        class Case:
            def __init__(self):
                self.start_layer = 0

            def set_range(self, start_layer):
                self.start_layer = start_layer

            def get_key_buffer(self, layer_id):
                return self.k_buffer[layer_id - self.start_layer]


        class Model:
            def __init__(self, config):
                self.start_layer = 0
                self.end_layer = config.num_hidden_layers
        """,
        (),
    ),
    Case(
        "the smallest and the largest id",
        "PPL706",
        """
        class Case(SampleHybridPool):
            def ends(self):
                first = min(self.full_attention_layer_id_mapping)
                if self.full_attention_layer_id_mapping:
                    return first, max(self.full_attention_layer_id_mapping)
        """,
        ("warning",),
    ),
    Case(
        "an inner pool of a hybrid pool is asked for its first layer",
        "PPL706",
        """
        class Case(SampleHybridPool):
            def get_v_head_dim(self):
                return self.full_kv_pool.get_key_buffer(self.full_kv_pool.start_layer).shape[-1]
        """,
        ("info",),
    ),
    Case(
        "other dictionaries and lists",
        "PPL706",
        """
        def first(table, layer_ids):
            return [*table][0], next(iter(table)), min(table), [i for i in layer_ids if i > 3][0], layer_ids[0]
        """,
        (),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}: {case.title}" for case in CASES])
def test_mixed_spaces_are_reported_at_their_level(case, tmp_path):
    assert tuple(one.severity for one in judged(tmp_path, case.code, case.body)) == case.found


def test_the_first_layer_of_a_pool_without_a_range_is_no_repair(tmp_path):
    (body,) = (
        case.body for case in CASES if case.title == "an inner list whose pool is built without the range"
    )
    (finding,) = judged(tmp_path, "PPL401", body)
    assert finding.fix is None
    assert "`self.inner` is built without the stage's range" in finding.no_fix


PINNED = """
class CasePinned:
    def __init__(self, ids):
        self.start_layer = 0
        self.mapping = {gid: i for i, gid in enumerate(ids)}

    def get_key_buffer(self, layer_id):
        return self.inner[self.mapping[layer_id]]

    def get_pinned_buffer(self, layer_id):
        return self.inner[self.mapping[layer_id]]
"""

EXCEPTIONS = [
    (
        "a hybrid pool may not hold the first layer",
        "def dim(pool):\n    return pool.get_key_buffer(0).shape[-1]\n",
        "`SampleHybridPool` holds",
    ),
    (
        "a pool pins its first layer",
        PINNED + "\n\ndef dim(pool):\n    return pool.get_pinned_buffer(0).shape[-1]\n",
        "`CasePinned` pins its `start_layer` to 0",
    ),
    (
        "the range is set after the read",
        """
class Case(SampleBuffers):
    def __init__(self, start_layer):
        self.width = self.get_key_buffer(0).shape[-1]
        self.start_layer = start_layer
""",
        "the range is set after this read",
    ),
    (
        "the pool is a plain one",
        """
class Case(SampleBuffers):
    def width(self):
        return self.get_key_buffer(0).shape[-1]
""",
        "",
    ),
]


@pytest.mark.parametrize(
    ("body", "said"), [case[1:] for case in EXCEPTIONS], ids=[case[0] for case in EXCEPTIONS]
)
def test_a_literal_layer_id_names_the_pools_that_the_fix_does_not_help(body, said, tmp_path):
    (finding,) = judged(tmp_path, "PPL101", body)
    if said:
        assert said in finding.message
    else:
        assert "not enough" not in finding.message
