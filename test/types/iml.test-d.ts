import {
  type CompileOptions,
  compile,
  type Evaluate,
  type evaluate,
  type parse,
  type print,
} from '../../src/language/index.js';
import type { Expect, Same } from './expect-type.js';

const greet: Evaluate = compile('Dear {{name}}', { timezone: 'UTC' });

export type Language = [
  Expect<Same<ReturnType<typeof compile>, Evaluate>>,
  Expect<Same<ReturnType<Evaluate>, unknown>>,
  Expect<Same<ReturnType<typeof evaluate>, unknown>>,
  Expect<Same<ReturnType<typeof print>, string>>,
  Expect<Same<Parameters<typeof parse>[0], string>>,
  Expect<Same<CompileOptions['semantics'], 'runtime' | 'documented' | undefined>>,
];

/** Examples of calls. They never run. */
export function calls(): void {
  greet({ name: 'ann' });
  // @ts-expect-error a scope is an object
  greet('ann');
  // @ts-expect-error no such setting
  compile('', { strict: true });
}
