// Runs the calculator's program outside the page's thread, so that the page stays responsive whatever the input.
// SPDX-License-Identifier: Apache-2.0
"use strict";

let program = null;

// Discards what the program's library would write to a console.
const badFile = 8;
const imports = {wasi_snapshot_preview1: new Proxy({}, {get: () => () => badFile})};

function put(bytes) {
    const at = program.reserve(bytes.length) >>> 0;
    if (at === 0) throw new RangeError("no memory");
    new Uint8Array(program.memory.buffer, at, bytes.length).set(bytes);
    return at;
}

function ask(what, input) {
    const name = new TextEncoder().encode(what);
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : new Uint8Array(input);
    const nameAt = put(name), inputAt = put(bytes);
    const at = program.answer(nameAt, name.length, inputAt, bytes.length) >>> 0;
    return JSON.parse(new TextDecoder().decode(new Uint8Array(program.memory.buffer, at, program.answer_bytes() >>> 0)));
}

function askMany(numbers) {
    const count = numbers.length / 13, at = program.reserve(numbers.length * 4) >>> 0, to = program.reserve(count * 16) >>> 0;
    new Int32Array(program.memory.buffer, at, numbers.length).set(numbers);
    program.answer_many(at, count, to);
    const answers = new Int32Array(program.memory.buffer, to, count * 4).slice();
    program.release(at);
    program.release(to);
    return answers;
}

let started = null;

onmessage = async (event) => {
    const {id, what, input} = event.data;
    try {
        if (what === "start")
            started = new Response(new Blob([input]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()
                .then((bytes) => WebAssembly.instantiate(bytes, imports)).then(({instance}) => {
                program = instance.exports;
                program._initialize();
            });
        await started;  // requests wait meanwhile, in order
        postMessage({id, answer: what === "start" ? {} : what === "many" ? askMany(input) : ask(what, input)});
    } catch (failure) {
        postMessage({id, failure: String((failure && failure.message) || failure)});
    }
};
