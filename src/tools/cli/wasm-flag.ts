/** Commands that run until they are stopped. */
const GO_ON = ['dev', 'lsp', 'rest', 'serve'];

/**
 * Chooses the V8 flag for WebAssembly (llhttp and QuickJS). By default V8 optimizes hot functions on another thread,
 * and the process waits for it at its end. Short commands disable that: custom functions then run somewhat slower.
 * Long-running commands raise the budget instead, so that V8 optimizes after about 50 calls.
 */
export function chooseWasmFlag([name = '', ...rest]: readonly string[]): string {
  const goesOn = GO_ON.includes(name) || rest.includes('--watch');
  return goesOn ? '--wasm-tiering-budget=2000000000' : '--liftoff-only';
}
