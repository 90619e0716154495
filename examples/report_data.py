"""Made-up figures of the geological report: drill holes, ore intervals, and what is computed from them."""

from __future__ import annotations

from dataclasses import dataclass

from truth import Cell

DENSITY = 3.42  # t/m³
AREA = 86_400  # m², projected area of the ore body


@dataclass(frozen=True)
class Interval:
    """An ore interval: depths in metres, Cu in %, Au in g/t."""

    top: float
    bottom: float
    cu: float
    au: float
    ore: str

    @property
    def thickness(self) -> float:
        return round(self.bottom - self.top, 2)


@dataclass(frozen=True)
class Hole:
    """A drill hole: collar height, depth, depth of the overburden in metres, dip in degrees, core recovery in %."""

    name: str
    part: str
    collar: float
    depth: float
    dip: int
    overburden: float
    recovery: float
    intervals: tuple[Interval, ...]


HOLES = (
    Hole("ZK301", "北段", 1238.4, 386.20, 80, 12.30, 91.2,
         (Interval(212.45, 220.80, 0.86, 0.21, "浸染状黄铜矿化矽卡岩"),)),
    Hole("ZK302", "北段", 1240.1, 402.55, 78, 14.60, 93.0,
         (Interval(218.30, 229.15, 1.04, 0.27, "细脉浸染状矿石"),)),
    Hole("ZK303", "北段", 1243.6, 418.90, 80, 16.10, 92.7,
         (Interval(224.60, 233.95, 1.12, 0.31, "块状磁黄铁黄铜矿石"),
          Interval(251.20, 254.65, 0.54, 0.12, "稀疏浸染状矿石"))),
    Hole("ZK304", "中段", 1245.2, 421.35, 79, 17.45, 90.8,
         (Interval(229.75, 241.05, 1.35, 0.34, "块状黄铜矿石"),)),
    Hole("ZK305", "中段", 1247.9, 436.75, 80, 18.40, 94.1,
         (Interval(236.10, 251.75, 1.68, 0.47, "块状黄铜矿石，局部见斑铜矿"),)),
    Hole("ZK306", "中段", 1249.3, 441.60, 81, 18.95, 93.6,
         (Interval(240.35, 252.10, 1.41, 0.39, "块状黄铜矿石"),
          Interval(270.25, 275.80, 0.73, 0.18, "稀疏浸染状矿石"))),
    Hole("ZK307", "中段", 1251.7, 447.25, 80, 20.10, 92.3,
         (Interval(245.90, 256.45, 1.29, 0.36, "细脉浸染状矿石"),)),
    Hole("ZK308", "中段", 1252.8, 452.10, 78, 21.35, 91.9,
         (Interval(251.15, 260.30, 1.17, 0.33, "细脉浸染状矿石"),)),
    Hole("ZK309", "南段", 1254.5, 458.40, 80, 22.70, 93.3,
         (Interval(256.70, 263.85, 0.98, 0.25, "浸染状黄铜矿化矽卡岩"),
          Interval(281.40, 284.10, 0.61, 0.14,
                   "上部为稀疏浸染状黄铜矿石，下部渐变为含磁铁矿的条带状矿石，矿石中见方解石细脉穿插，底界与大理岩呈断层接触"))),
    Hole("ZK310", "南段", 1256.2, 463.95, 82, 23.25, 90.4,
         (Interval(262.05, 268.40, 0.91, 0.23, "浸染状黄铜矿化矽卡岩"),)),
    Hole("ZK311", "南段", 1257.0, 470.30, 80, 24.80, 92.1,
         (Interval(268.80, 273.55, 0.77, 0.19, "稀疏浸染状矿石"),)),
    Hole("ZK312", "南段", 1258.6, 476.85, 79, 25.60, 91.5,
         (Interval(275.35, 278.90, 0.58, 0.16, "稀疏浸染状矿石"),)),
)  # fmt: skip

INTERVALS = [interval for hole in HOLES for interval in hole.intervals]
THICKNESS = sum(interval.thickness for interval in INTERVALS)
MEAN_CU = sum(interval.cu * interval.thickness for interval in INTERVALS) / THICKNESS
MEAN_AU = sum(interval.au * interval.thickness for interval in INTERVALS) / THICKNESS
MEAN_THICKNESS = THICKNESS / len(HOLES)
ORE = AREA * MEAN_THICKNESS * DENSITY / 1e4  # 10⁴ t
COPPER = ORE * 1e4 * MEAN_CU / 100  # t
GOLD = ORE * 1e4 * MEAN_AU / 1000  # kg


def log(hole: Hole) -> str:
    """The log of a hole; all logs are worded alike and differ in their figures."""
    first = hole.intervals[0]
    text = (
        f"{hole.name}：位于3号勘探线{hole.part}，孔口标高{hole.collar:.1f}m，终孔深度{hole.depth:.2f}m，"
        f"开孔倾角{hole.dip}°。0～{hole.overburden:.2f}m为第四系残坡积层，{hole.overburden:.2f}～{first.top:.2f}m为"
        f"大理岩夹白云质灰岩，{first.top:.2f}～{first.bottom:.2f}m见矽卡岩型铜矿体，真厚度{first.thickness:.2f}m，"
        f"岩心采取率{hole.recovery:.1f}%，"
    )
    for other in hole.intervals[1:]:
        text += f"{other.top:.2f}～{other.bottom:.2f}m见第二层矿，真厚度{other.thickness:.2f}m，"
    return text + "终孔于花岗闪长斑岩。"


def assay_cells() -> list[Cell]:
    """The cells of the assay table: two header rows, one row an interval, a row of means."""
    cells = [
        Cell(0, 0, "钻孔编号", rowspan=2, header=True),
        Cell(0, 1, "见矿深度/m", colspan=2, header=True),
        Cell(0, 3, "真厚度/m", rowspan=2, header=True),
        Cell(0, 4, "品位", colspan=2, header=True),
        Cell(0, 6, "矿石特征", rowspan=2, header=True),
        *(Cell(1, col, text, header=True) for col, text in ((1, "自"), (2, "至"), (4, "Cu/%"), (5, "Au/(g/t)"))),
    ]
    row = 2
    for hole in HOLES:
        cells.append(Cell(row, 0, hole.name, rowspan=len(hole.intervals)))
        for item in hole.intervals:
            numbers = (item.top, item.bottom, item.thickness, item.cu, item.au)
            cells += [Cell(row, col, f"{number:.2f}") for col, number in enumerate(numbers, 1)]
            cells.append(Cell(row, 6, item.ore))
            row += 1
    means = (f"{MEAN_THICKNESS:.2f}", f"{MEAN_CU:.2f}", f"{MEAN_AU:.2f}", "厚度加权平均")
    return [*cells, Cell(row, 0, "平均", colspan=3), *(Cell(row, col, text) for col, text in enumerate(means, 3))]
