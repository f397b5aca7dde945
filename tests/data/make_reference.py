#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compute reference.json: least-squares and ridge fits in 80-digit arithmetic.

The normal equations (A^T A + lambda D) b = A^T y are solved as they stand: at 80 digits their condition number does
not matter. D is diagonal: 0 for the intercept, the variance of the column (divisor m) for a standardised ridge fit,
else 1. The decimal numbers of the files are read exactly. Before it writes the file, the program repeats the fits that
NIST certifies and stops where a value differs from NIST's by more than half a unit in the last printed digit.
"""

import csv
import json
from decimal import Decimal
from pathlib import Path

from mpmath import diag, inverse, matrix, mp, mpf, nstr, sqrt

mp.dps = 80
HERE = Path(__file__).resolve().parent


def read_columns(path):
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [mpf(row[j]) for row in rows] for j, name in enumerate(header)}


def fit(terms, y, intercept=True, ridge=0, standardise=False):
    """Regress y on the columns of `terms` (name -> values)."""
    m = len(y)
    if intercept:
        terms = {"(Intercept)": [mpf(1)] * m, **terms}
    names = list(terms)

    def variance(values):
        mean = sum(values) / m
        return sum((v - mean) ** 2 for v in values) / m

    def penalty(name):
        return 0 if name == "(Intercept)" else ridge * (variance(terms[name]) if standardise else 1)

    a, rhs = matrix(list(terms.values())).T, matrix(y)
    inverse_gram = inverse(a.T * a + diag([penalty(name) for name in names]))
    b = inverse_gram * (a.T * rhs)
    residual = rhs - a * b
    rss = sum(r * r for r in residual)
    mean = sum(y) / m if intercept else 0  # without an intercept R-squared is about zero, as in R and at NIST
    df = m - len(names)
    sigma = sqrt(rss / df)
    return {
        "coefficients": {name: b[j] for j, name in enumerate(names)},
        "std_errors": {name: sigma * sqrt(inverse_gram[j, j]) for j, name in enumerate(names)},
        "sigma": sigma,
        "df_residual": df,
        "r_squared": 1 - rss / sum((v - mean) ** 2 for v in y),
        "relative_residual": sqrt(rss / sum(v * v for v in y)),
    }


def check_certified():
    certified = json.loads((HERE / "nist/certified.json").read_text(), parse_float=Decimal)
    for name, want in certified.items():
        terms = read_columns(HERE / "nist" / want["file"])
        y = terms.pop("y")
        for power in range(2, want["degree"] + 1):
            terms[f"I(x^{power})"] = [x**power for x in terms["x"]]
        got = fit(terms, y, want["intercept"])
        pairs = [(got["sigma"], want["residual_sd"]), (got["r_squared"], want["r_squared"])]
        for term in want["coefficients"]:
            pairs += [(got["coefficients"][term["name"]], term["estimate"]),
                      (got["std_errors"][term["name"]], term["std_error"])]
        # The difference in units of the last digit that NIST prints: at most one half if every digit is right.
        units = max(abs(g - mpf(str(w))) / mpf(10) ** w.as_tuple().exponent for g, w in pairs)
        # Relative to the value, or absolute where NIST certifies 0.
        error = max(abs(g - mpf(str(w))) / (abs(mpf(str(w))) or 1) for g, w in pairs)
        print(f"{name:9} {len(pairs):2} values, worst relative error {nstr(error, 2):>8}, {nstr(units, 3)} units")
        names = [term["name"] for term in want["coefficients"]]
        if units > mpf("0.5") or got["df_residual"] != want["df_residual"] or list(got["coefficients"]) != names:
            raise SystemExit(f"{name}: the fit differs from NIST's certified values")


def reference(file, target, ridge=0, standardise=False):
    terms = read_columns(HERE / file)
    y = terms.pop(target)
    got = fit(terms, y, ridge=ridge, standardise=standardise)
    entry = {"file": file, "target": target, "intercept": True, "lambda": ridge, "standardise": standardise}
    errors = got.pop("std_errors")
    entry["coefficients"] = [
        {"name": name, "estimate": value} if ridge else {"name": name, "estimate": value, "std_error": errors[name]}
        for name, value in got.pop("coefficients").items()
    ]
    if ridge:  # a ridge fit has fewer effective parameters than columns: no sigma
        del got["sigma"], got["df_residual"]
    return {**entry, **got}


def to_json(value, indent="\n"):
    """JSON with 17 significant digits, enough to tell any two doubles apart; each coefficient on one line."""
    if isinstance(value, mpf):
        return nstr(value, 17, strip_zeros=False)
    if not isinstance(value, (dict, list)):
        return json.dumps(value)
    if "name" in value:
        return "{" + ", ".join(f"{json.dumps(key)}: {to_json(v)}" for key, v in value.items()) + "}"
    inner = indent + "  "
    if isinstance(value, list):
        return "[" + ",".join(inner + to_json(v, inner) for v in value) + indent + "]"
    return "{" + ",".join(f"{inner}{json.dumps(key)}: {to_json(v, inner)}" for key, v in value.items()) + indent + "}"


if __name__ == "__main__":
    check_certified()
    fits = {
        "airquality": reference("airquality.csv", "Ozone"),
        "wine": reference("wine.csv", "target"),
        "cement": reference("cement.csv", "y"),
        "wine_ridge": reference("wine.csv", "target", ridge=1000, standardise=True),
        "airquality_ridge": reference("airquality.csv", "Ozone", ridge=10),
    }
    (HERE / "reference.json").write_text(to_json(fits) + "\n")
