"""The wording of the English survey. River, places and numbers are made up."""

from __future__ import annotations

from truth import Cell

TITLE = "Groundwater and Stream Flow in the Upper Qingxi Basin: A Three-Year Hydrological Survey"
AUTHORS = "Survey Group, Upper Qingxi Basin Project"
ABSTRACT = (
    "Abstract. We report three years of stream gauging, groundwater levels and water chemistry in the Upper Qingxi "
    "basin, a forested catchment of 768 km² on limestone and granodiorite. Mean annual discharge at the outlet was "
    "14.7 m³/s, of which base flow supplied 41 percent. Water levels in twelve observation wells lagged rainfall by 9 "
    "to 26 days. Dissolved copper stayed below 0.012 mg/L at every station except S4, downstream of an old adit, "
    "where it reached 0.31 mg/L during the first flood of each wet season."
)

HYPHENATED = (
    "ground-water hydro-log-i-cal obser-va-tion pre-cip-i-ta-tion con-cen-tra-tion con-cen-tra-tions mea-sure-ment "
    "mea-sure-ments dis-charge lime-stone grano-dio-rite catch-ment tem-per-a-ture con-duc-tiv-ity sed-i-ment "
    "trans-mis-siv-ity evapo-tran-spi-ra-tion per-me-abil-ity sta-tions be-tween sepa-rated cal-i-brated frac-tured "
    "cor-re-spond-ing ex-po-nen-tial re-ces-sion auto-matic re-corded sub-merged down-stream up-stream sam-pling "
    "sam-ples dif-fer-ence dif-fer-ences re-sponse ap-prox-i-mately de-ter-mined sea-son sea-sons mon-i-tor-ing "
)
HYPHENS = {word.replace("-", ""): word for word in HYPHENATED.split()}

INTRODUCTION = [
    "The Upper Qingxi basin supplies drinking water to four villages and process water to a planned copper mine. "
    "Neither the yield of its aquifers nor the quality of its streams had been measured before this survey, and the "
    "only earlier record is a daily rainfall series kept at the forest station since 1974.",
    "The survey had three aims: to close the water balance of the catchment within ten percent, to find out how "
    "quickly groundwater responds to precipitation, and to establish concentrations of dissolved metals before mining "
    "begins.",
]

SETTING = [
    "Altitude falls from 1420 m at the southern divide to 610 m at the outlet. Carboniferous limestone underlies 64 "
    "percent of the catchment and carries karst springs along its contact with granodiorite; the granodiorite itself "
    "is fractured to a depth of about 40 m and of low permeability below.",
    "Annual precipitation averages 1386 mm, four fifths of which falls between April and September. Potential "
    "evapotranspiration, determined with the Penman equation, is 842 mm. Snow is rare and was neglected.",
]

EARLIER = [
    "Two earlier studies touched the basin. A regional inventory of 1988 lists nine karst springs with a single "
    "discharge measurement each, and a road project of 2011 left four boreholes, two of which could be used as "
    "observation wells after cleaning. No water samples of either study were kept.",
]

METHODS = [
    "Discharge was gauged at six stations, S1 to S6, from January 2020 to December 2022. Automatic pressure sensors "
    "recorded the stage every 15 minutes, and rating curves were calibrated with 173 measurements by current meter. "
    "The standard error of daily discharge is 6.2 percent at the outlet and 9.8 percent at the smallest station, S5.",
    "Missing daily values, 2.1 percent of all, were filled by regression on the nearest station. Evapotranspiration "
    "was computed from measurements of temperature, humidity, wind and radiation at the forest station and corrected "
    "for the cover of forest, which takes up 71 percent of the catchment.",
    "Twelve observation wells, W1 to W12, were drilled to depths between 35 and 120 m. Transmissivity was determined "
    "by constant-rate pumping tests of 24 hours. Water temperature and conductivity were measured weekly; samples for "
    "metals were filtered at 0.45 µm in the field, acidified, and analysed by mass spectrometry within ten days.",
]

BALANCE = [
    "Table 1 gives the water balance of the three years. The residual, which is the difference between precipitation "
    "and the sum of runoff and evapotranspiration corrected for storage, did not exceed 7.4 percent in any year, so "
    "the first aim was met.",
    "Mean monthly discharge at the outlet follows rainfall with a delay of about one month (Figure 1). It peaks in "
    "June at 38.6 m³/s and falls to 3.2 m³/s in January. Base flow, separated with a recursive digital filter, made "
    "up 41 percent of annual runoff and nearly all of the flow between November and February.",
]

RESPONSE = [
    "Water levels in wells on limestone rose within 9 to 14 days of rain, those on granodiorite within 19 to 26 days. "
    "The fastest response was found in W7, which stands 60 m from a karst spring, and the slowest in W11. Recession "
    "of the levels is close to exponential, with a half-life of 33 days on limestone and 71 days on granodiorite.",
    "Transmissivity ranged from 0.8 m²/d in W11 to 214 m²/d in W7. The two rock types therefore behave as separate "
    "aquifers that exchange water only along their contact, where seven of the nine mapped springs emerge. We "
    "estimate this exchange at approximately 0.9 m³/s in the wet season and 0.2 m³/s in the dry season; the estimate "
    "rests on differences of conductivity between springs and wells and should be refined by tracer tests before any "
    "dewatering of the planned mine is designed. A sustained yield of 0.35 m³/s could be drawn from the limestone "
    "aquifer without lowering the levels of village wells by more than 1.5 m.",
]

CHEMISTRY = [
    "All waters are of the calcium bicarbonate type. Conductivity averaged 286 µS/cm at the outlet. Dissolved copper "
    "was below 0.012 mg/L at five stations. At S4, downstream of an adit abandoned in 1961, it rose to 0.31 mg/L in "
    "the first flood of each wet season and fell below 0.05 mg/L within eleven days; arsenic and lead were never "
    "above 0.004 mg/L.",
    "The short pulses suggest that salts formed in the dry adit are washed out by the first flood. Sealing the adit "
    "or leading its first flush into a settling pond of 2500 m³ would remove the pulse.",
]

SEDIMENT = [
    "Suspended sediment was sampled at S6 during eleven floods. Concentrations rose from less than 20 mg/L before a "
    "flood to a highest value of 1840 mg/L on 18 June 2021, and the peak of sediment came two to five hours before "
    "the peak of discharge. The load of the three years was 31,600 tonnes, of which 72 percent passed in only 26 "
    "days.",
    "The early peak means that most of the material comes from the channel banks near the station and not from the "
    "slopes above. Fine sediment settled again in the pools between S4 and S6, where its copper content was 96 mg/kg, "
    "about three times the value found upstream of the adit.",
]

SPRINGS = [
    "Nine karst springs were mapped along the contact of limestone and granodiorite. Their combined discharge was "
    "1.34 m³/s in the wet season and 0.41 m³/s in the dry season. Spring Q3, the largest, yields up to 0.52 m³/s and "
    "turns turbid within six hours of heavy rain, which points to a short underground path between the sinkholes of "
    "the northern plateau and the spring.",
    "A tracer test with 2 kg of fluorescein in April 2022 confirmed this path: the dye appeared in Q3 after 31 hours, "
    "over a distance of 2.9 km, and 64 percent of it was recovered within five days. No dye was found in the wells on "
    "granodiorite. The protection zone of Q3 should therefore reach to the sinkholes, where farm waste is still "
    "dumped.",
    "Temperature of the springs varied by less than 1.2 degrees in a year, with the exception of Q3 and Q8, which "
    "follow the air temperature with a delay of about three weeks.",
]

UNCERTAINTY = [
    "Three sources of error matter. Discharge during floods above 60 m³/s was extrapolated beyond the highest current "
    "meter measurement and may be wrong by 15 percent. The filter that separates base flow has one free parameter, "
    "and changing it within its usual range moves the share of base flow from 37 to 44 percent. Rainfall on the "
    "southern divide was not measured but estimated from the forest station with a gradient of 48 mm for each 100 m "
    "of altitude.",
    "None of these errors changes the sign of any term of the water balance. The residual of 2020 is the largest of "
    "the three years because the stage recorder at S6 was submerged for nine days in July of that year and its record "
    "had to be filled from S3.",
]

CONCLUSIONS = [
    "The basin yields enough groundwater for both the villages and the mine, provided that pumping stays below the "
    "sustained yield. Monitoring should continue at S4 and S6 and in W7 and W11, and samples of the first flood of "
    "each wet season should be taken automatically. Full results of all stations are listed in Table 2.",
]

REFERENCES = [
    "[1] Survey Group. Rainfall at the forest station, 1974–2019. Qingxi Basin Notes 3, 2020.",
    "[2] Survey Group. Rating curves of the stations S1 to S6. Qingxi Basin Notes 7, 2021.",
    "[3] Survey Group. Pumping tests in twelve observation wells. Qingxi Basin Notes 9, 2022.",
    "[4] Survey Group. Trace metals in the Qingxi river before mining. Qingxi Basin Notes 11, 2023.",
]

TABLE_1 = "Table 1. Water balance of the catchment above S6, in millimetres a year."
BALANCE_ROWS = (
    ("Term", "2020", "2021", "2022"),
    ("Precipitation", "1412", "1297", "1449"),
    ("Runoff", "618", "541", "655"),
    ("Evapotranspiration", "731", "748", "722"),
    ("Change of storage", "-21", "+36", "+15"),
    ("Residual", "84", "-28", "57"),
)
FIGURE_1 = "Figure 1. Mean monthly discharge of the Qingxi at station S6, 2020 to 2022."
FLOWS = [3.2, 4.1, 8.7, 16.9, 29.4, 38.6, 27.8, 19.5, 13.0, 7.6, 4.4, 3.4]

TABLE_2 = (
    "Table 2. Discharge and water quality at all stations, 2020 to 2022 (means; copper as the highest value found)."
)
STATION_HEAD = (
    "Station",
    "Area (km²)",
    "Altitude (m)",
    "Mean",
    "Minimum",
    "Maximum",
    "pH",
    "Cond. (µS/cm)",
    "Cu (mg/L)",
)
STATION_ROWS = (
    ("S1", "84.5", "1015", "1.62", "0.21", "18.4", "7.4", "148", "0.003"),
    ("S2", "148.7", "930", "2.85", "0.40", "29.6", "7.6", "205", "0.004"),
    ("S3", "224.9", "842", "4.31", "0.66", "41.2", "7.7", "231", "0.006"),
    ("S4", "317.2", "775", "6.08", "0.93", "55.7", "7.1", "342", "0.310"),
    ("S5", "50.6", "720", "0.97", "0.08", "14.3", "7.9", "318", "0.005"),
    ("S6", "768.0", "610", "14.70", "1.90", "126.5", "7.8", "286", "0.011"),
)


def balance_cells() -> list[Cell]:
    rows = enumerate(BALANCE_ROWS)
    return [Cell(row, col, text, header=row == 0) for row, texts in rows for col, text in enumerate(texts)]


def station_cells() -> list[Cell]:
    """Two header rows: the three discharge columns share one head."""
    cells = [Cell(0, 3, "Discharge (m³/s)", colspan=3, header=True)]
    for col, text in enumerate(STATION_HEAD):
        cells.append(Cell(1, col, text, header=True) if 3 <= col <= 5 else Cell(0, col, text, rowspan=2, header=True))
    rows = enumerate(STATION_ROWS, 2)
    return cells + [Cell(row, col, text) for row, texts in rows for col, text in enumerate(texts)]
