// Shared by the report and the calculator: colours of the page, and Chart.js set up with them.
// SPDX-License-Identifier: Apache-2.0
"use strict";

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// Numbers are formatted as in the tool (number_text, tick_texts and percent there): tests/data/numbers.json checks
// both.
function numberText(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-4))
        return value.toExponential(2).replace(/\.?0*e/, "e").replace("e+", "e");
    if (size >= 1000 || Number.isInteger(value)) return (Math.sign(value) * Math.round(size)).toLocaleString("en-US");
    let scale = 1;
    while (size * scale < 1000) scale *= 10;
    return (Math.sign(value) * Math.round(size * scale) / scale).toLocaleString("en-US", {maximumFractionDigits: 8});
}

// The labels of an axis: if two would be equal, all get enough decimals to differ.
function tickTexts(values) {
    const texts = values.map(numberText);
    if (new Set(texts).size === texts.length) return texts;
    let decimals = 0;
    const fixed = () => values.map((value) => value.toLocaleString("en-US",
        {minimumFractionDigits: decimals, maximumFractionDigits: decimals}));
    while (decimals < 12 && new Set(fixed()).size < texts.length) ++decimals;
    return fixed();
}

// "50 %", "62.5 %".
function percentText(fraction) {
    return Math.round(fraction * 1000) / 10 + " %";
}

// Long text loses its middle, since names of workloads differ at their ends.
function shortened(name, room) {
    if (name.length <= room) return name;
    const tail = Math.floor((room - 1) * 0.6);
    return name.slice(0, room - 1 - tail) + "…" + name.slice(name.length - tail);
}

// Lines across the plot at single values, with their meaning.
const marksPlugin = {
    id: "marks",
    afterDatasetsDraw(chart, _, options) {
        const {ctx, chartArea: area, scales} = chart;
        for (const mark of options.marks || []) {
            const scale = mark.at_y ? scales.y : scales.x;
            const at = scale.getPixelForValue(mark.at);
            if (!Number.isFinite(at)) continue;
            ctx.save();
            ctx.strokeStyle = ctx.fillStyle = colour("ink");
            ctx.setLineDash([4, 3]);
            ctx.beginPath();
            if (mark.at_y) { ctx.moveTo(area.left, at); ctx.lineTo(area.right, at); }
            else { ctx.moveTo(at, area.top); ctx.lineTo(at, area.bottom); }
            ctx.stroke();
            ctx.font = "11px system-ui, sans-serif";
            const width = ctx.measureText(mark.text).width;
            if (mark.at_y) ctx.fillText(mark.text, area.right - width - 4, at - 5);
            else ctx.fillText(mark.text, at + width + 10 > area.right ? at - width - 5 : at + 5, area.top + 11);
            ctx.restore();
        }
    },
};

// The interval of each point that has one.
const intervalsPlugin = {
    id: "intervals",
    afterDatasetsDraw(chart) {
        const {ctx, scales} = chart;
        for (const data of chart.data.datasets) {
            if (!data.low) continue;
            ctx.save();
            ctx.strokeStyle = colour("ink");
            ctx.lineWidth = 1.5;
            data.data.forEach((point, i) => {
                const sideways = chart.options.indexAxis === "y";
                const along = sideways ? scales.x : scales.y;
                const across = sideways ? scales.y.getPixelForValue(i) : scales.x.getPixelForValue(point.x);
                const from = along.getPixelForValue(data.low[i]), to = along.getPixelForValue(data.high[i]);
                ctx.beginPath();
                if (sideways) { ctx.moveTo(from, across); ctx.lineTo(to, across); }
                else { ctx.moveTo(across, from); ctx.lineTo(across, to); }
                ctx.stroke();
            });
            ctx.restore();
        }
    },
};

// The ticks of a logarithmic axis, as room allows: 1, 2 and 5 of each decade, or each decade, or some of them; round
// steps within less than a decade.
function logarithmicTicks(scale) {
    const {min, max} = scale, decades = Math.log10(max / min), sideways = scale.axis === "x";
    if (!(min > 0) || !(decades > 0)) return;
    const length = (sideways ? scale.chart.width : scale.chart.height) * 0.75;
    const room = (texts) => sideways ? 14 + 7 * Math.max(...texts.map((text) => text.length)) : 20;
    const within = (values) => values.filter((value) => value >= min * 0.9999 && value <= max * 1.0001);
    const fits = (values) => {
        const texts = tickTexts(values), need = values.length > 0 ? room(texts) : 0;
        return values.every((value, i) => i === 0 || Math.log10(value / values[i - 1]) / decades * length >= need);
    };
    const decadesOf = (factors, every) => {
        const values = [];
        for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); ++power)
            if (power % every === 0) for (const factor of factors) values.push(Number(`${factor}e${power}`));
        return within(values);
    };
    const steps = (step) => {
        const values = [];
        for (let k = Math.ceil(min / step - 1e-9); k * step <= max * (1 + 1e-9) && values.length < 100; ++k)
            values.push(Number((k * step).toPrecision(12)));
        return values;
    };
    const sets = [decadesOf([1, 2, 5], 1), decadesOf([1], 1), decadesOf([1], 2), decadesOf([1], 3), decadesOf([1], 6)];
    let chosen = sets.find((values) => values.length >= 3 && fits(values));
    if (!chosen) {
        const unit = 10 ** Math.floor(Math.log10(max - min));
        chosen = [0.1, 0.2, 0.5, 1, 2, 5].map((factor) => steps(factor * unit)).find((values) => values.length >= 2 && fits(values));
    }
    chosen = chosen || sets.find((values) => values.length > 0 && fits(values));
    if (chosen) scale.ticks = chosen.map((value) => ({value}));
}

// Multiples of a step, or of twice or four times that step, as room allows.
function steppedTicks(scale, step) {
    const length = (scale.axis === "x" ? scale.chart.width : scale.chart.height) * 0.75;
    const need = scale.axis === "x" ? 16 + 7 * numberText(scale.max).length : 20;
    while ((step / (scale.max - scale.min)) * length < need && step < scale.max) step *= 2;
    scale.ticks = [];
    for (let value = Math.ceil(scale.min / step) * step; value <= scale.max; value += step) scale.ticks.push({value});
}

function axisOptions(axis) {
    const options = {
        type: axis.logarithmic ? "logarithmic" : "linear",
        title: {display: !!axis.title, text: axis.title, color: colour("faint")},
        grid: {color: colour("grid"), borderColor: colour("faint")},
        ticks: {color: colour("faint"), maxRotation: 0, autoSkip: !axis.logarithmic && !axis.step, autoSkipPadding: 8,
                callback: (_, i, ticks) => tickTexts(ticks.map((tick) => tick.value))[i]},
    };
    if (axis.logarithmic) options.afterBuildTicks = logarithmicTicks;
    if (axis.step) options.afterBuildTicks = (scale) => steppedTicks(scale, axis.step);
    if (axis.from_zero) options.beginAtZero = true;
    if (axis.categories) {
        options.min = -0.5;
        options.max = axis.categories.length - 0.5;
        options.grid.display = false;
        options.afterBuildTicks = (scale) => { scale.ticks = axis.categories.map((_, i) => ({value: i})); };
        options.ticks.autoSkip = false;
        const room = Math.max(14, Math.floor(window.innerWidth / 20));
        options.ticks.callback = (value) => shortened(axis.categories[value] || "", room);
    }
    return options;
}

// The options common to all charts; `said(item)` is the tooltip of a point.
function baseOptions(x, y, said, marks) {
    return {
        responsive: true,
        maintainAspectRatio: false,
        animation: false,
        normalized: true,
        events: ["mousemove", "mouseout", "click", "touchstart", "touchmove"],
        interaction: {mode: "nearest", intersect: false},
        scales: {x: axisOptions(x), y: axisOptions(y)},
        plugins: {
            legend: {labels: {color: colour("ink"), boxWidth: 12}},
            tooltip: {callbacks: {title: () => "", label: said}},
            marks: {marks: marks || []},
        },
    };
}

// Charts are redrawn when the colours of the page change: paper is light.
const redraws = [];
for (const media of ["(prefers-color-scheme: dark)", "print"])
    window.matchMedia(media).addEventListener("change", () => redraws.forEach((draw) => draw()));
