// What the report and the calculator share: colours of the page, and Chart.js set up with them.
// SPDX-License-Identifier: Apache-2.0
"use strict";

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function numberText(value) {
    if (value === null || value === undefined) return "–";
    const size = Math.abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) return value.toExponential(2);
    if (Number.isInteger(value)) return value.toLocaleString("en-US");
    return String(Number(value.toPrecision(4)));
}

// What is too long loses its middle: names of workloads differ at their ends.
function shortened(name, room) {
    if (name.length <= room) return name;
    const tail = Math.floor((room - 1) * 0.6);
    return name.slice(0, room - 1 - tail) + "…" + name.slice(name.length - tail);
}

// Lines across the plot at single values, with what they mean.
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

function axisOptions(axis) {
    const options = {
        type: axis.logarithmic ? "logarithmic" : "linear",
        title: {display: !!axis.title, text: axis.title, color: colour("faint")},
        grid: {color: colour("grid"), borderColor: colour("faint")},
        ticks: {color: colour("faint"), maxRotation: 0, autoSkip: true, callback: (value) => numberText(value)},
    };
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

// The options of any chart here; `said(item)` is the tooltip of a point.
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

// Charts are drawn again in the colours of the page when these change.
const redraws = [];
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach((draw) => draw()));
