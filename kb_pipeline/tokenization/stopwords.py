"""Words that neither index nor query keep: function words, question words, and what is left of contractions.

All are given as the tokenizer sees them: NFKC, lower case, simplified characters, not yet stemmed.
"""

from __future__ import annotations

_CHINESE = """
的 了 是 在 和 与 或 等 中 上 下 为 有 以 及 将 对 从 到 由 被 把 其 该 此 这 那 之 于 而 且 也 都 就 但 并 则 又 还 很
着 过 地 得 吗 呢 吧 啊 呀 哪 谁 几 个 我 你 您 他 她 它 们 我们 你们 他们 她们 它们 这个 那个 这些 那些 这里 那里
什么 哪些 哪个 哪里 哪儿 哪种 哪年 哪位 多少 怎么 怎样 怎么样 如何 为何 为什么 何时 何地 何种 何处 几个 几种 是否
是不是 有没有 能否 可否 请问 请 告诉 一下 以及 及其 或者 并且 而且 但是 因为 所以 如果 由于 因此 对于 关于 根据 按照
通过 进行 可以 已经 一个 一种 其中 之间 分别 属于 称为
"""

_ENGLISH = """
a an the of in on at to for and or nor but so if then than that this these those there here it its is are was were be
been being am do does did doing have has had having can could may might must shall should will would with without
within by as from into onto about over under between among during after before above below up down out off again
i me my we our ours you your yours he him his she her hers they them their theirs who whom whose which what when where
why how any some each every both all such same other own only also just very too not no
s t d ll m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
please tell many much
"""

CHINESE = frozenset(_CHINESE.split())
ENGLISH = frozenset(_ENGLISH.split())
STOP_WORDS = CHINESE | ENGLISH
