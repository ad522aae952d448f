"""All rules with their reasoning and their texts."""

from __future__ import annotations

from collections.abc import Iterable

from pplint.rules.base import Rule, RuleInfo
from pplint.rules.housekeeping import HOUSEKEEPING
from pplint.rules.ppl101 import LiteralLayerId
from pplint.rules.ppl102 import BorrowedLayerId
from pplint.rules.ppl201 import LiteralLayerIndex
from pplint.rules.ppl202 import LiteralLayerName
from pplint.rules.ppl203 import PaddedListPassed
from pplint.rules.ppl301 import FullLayerLoop
from pplint.rules.ppl302 import UnfilteredWeightLookup
from pplint.rules.ppl303 import UnsplitLayers
from pplint.rules.ppl401 import GlobalIdOnLocalList
from pplint.rules.ppl402 import LocalIndexAsLayerId
from pplint.rules.ppl403 import StageEndOffByOne
from pplint.rules.ppl404 import DoubleTranslation
from pplint.rules.ppl501 import MissingStageModule
from pplint.rules.ppl502 import UnguardedTiedHead
from pplint.rules.ppl503 import UnfilledTiedHead
from pplint.rules.ppl601 import ModelFirstLayerTest
from pplint.rules.ppl602 import StageRangeFromZero
from pplint.rules.ppl701 import ConstantStartLayer
from pplint.rules.ppl702 import HiddenStageRange
from pplint.rules.ppl703 import PoolWithoutStageRange
from pplint.rules.ppl704 import DefaultedStageRange
from pplint.rules.ppl705 import GlobalRankAsPeer
from pplint.rules.ppl706 import StageMayOwnNone
from pplint.rules.ppl707 import ProxiesAsHiddenStates
from pplint.rules.ppl708 import StateLostBetweenStages
from pplint.rules.ppl709 import MarkLostBetweenStages
from pplint.rules.ppl710 import RankOutsideGroup
from pplint.rules.ppl711 import GlobalRankAsPosition
from pplint.rules.ppl712 import UnreadProxies
from pplint.rules.ppl713 import NameWithoutStage

RULE_CLASSES: tuple[type[Rule], ...] = (
    LiteralLayerId,
    BorrowedLayerId,
    LiteralLayerIndex,
    LiteralLayerName,
    PaddedListPassed,
    FullLayerLoop,
    StageRangeFromZero,
    GlobalIdOnLocalList,
    LocalIndexAsLayerId,
    StageEndOffByOne,
    DoubleTranslation,
    ModelFirstLayerTest,
    ConstantStartLayer,
    UnfilteredWeightLookup,
    UnsplitLayers,
    HiddenStageRange,
    PoolWithoutStageRange,
    DefaultedStageRange,
    GlobalRankAsPeer,
    StageMayOwnNone,
    ProxiesAsHiddenStates,
    StateLostBetweenStages,
    MarkLostBetweenStages,
    RankOutsideGroup,
    GlobalRankAsPosition,
    UnreadProxies,
    NameWithoutStage,
    MissingStageModule,
    UnguardedTiedHead,
    UnfilledTiedHead,
)

RULES: tuple[RuleInfo, ...] = tuple(
    sorted((*(rule.info for rule in RULE_CLASSES), *HOUSEKEEPING), key=lambda info: info.code)
)


def find_rule(name: str) -> RuleInfo | None:
    """The rule with a code or a name, or None."""
    return next((rule for rule in RULES if name in (rule.code, rule.name)), None)


def rules_for(codes: Iterable[str]) -> list[Rule]:
    """Fresh instances of the rules with these codes."""
    chosen = set(codes)
    return [rule() for rule in RULE_CLASSES if rule.info.code in chosen]
