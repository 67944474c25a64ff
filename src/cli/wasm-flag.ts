/** Commands that go on until they are stopped. */
const GO_ON = ['dev', 'lsp', 'rest', 'serve'];

/**
 * What V8 is told of WebAssembly: the parser of HTTP answers and QuickJS, whose functions are large. It optimizes them after a few
 * kB of work, on another thread that a process waits for at its end: 0.15 s of the processor for one answer, 0.1 s for the
 * interpreter of custom functions.
 *
 * A command that comes to an end leaves them as they are first compiled: custom functions take a quarter longer then, which costs
 * as much as optimizing after some 0.4 s in them. One that goes on has them optimized, later: V8 counts how far jumps
 * lead, which in QuickJS is far. This, nearly all it can count to, is some 50 calls.
 */
export function chooseWasmFlag([name = '', ...rest]: readonly string[]): string {
  const goesOn = GO_ON.includes(name) || rest.includes('--watch');
  return goesOn ? '--wasm-tiering-budget=2000000000' : '--liftoff-only';
}
