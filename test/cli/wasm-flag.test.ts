import { describe, expect, it } from 'vitest';
import { chooseWasmFlag } from '../../src/tools/cli/wasm-flag.js';

describe('WebAssembly is optimized', () => {
  it.each([['serve ./my-app'], ['dev ./my-app'], ['lsp'], ['rest --port 0'], ['test ./my-app --watch']])(
    'by long-running commands: %s',
    (line) => {
      expect(chooseWasmFlag(line.split(' '))).toMatch(/^--wasm-tiering-budget=\d+$/);
    },
  );

  it.each([['run ./my-app serve'], ['test ./my-app'], ['--help'], ['help serve'], ['']])(
    'not by short commands: %s',
    (line) => {
      expect(chooseWasmFlag(line.split(' '))).toBe('--liftoff-only');
    },
  );
});
