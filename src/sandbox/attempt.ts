import type { DebugOutput, Environment } from '../iml/environment/environment.js';
import { UNDONE } from '../iml/values/work.js';

/** A call that may be given up and done again elsewhere: what it says is told once it is done, what it draws is kept. */
export class Attempt {
  /** Chance that was drawn; nothing else of an environment comes out differently each time. */
  readonly drawn: number[] = [];
  readonly #environment: Environment;
  readonly #outputs: DebugOutput[] = [];
  readonly #listener: Environment['onDebug'];

  constructor(environment: Environment) {
    const { drawn } = this;
    const { onDebug } = environment;
    this.#listener = onDebug;
    this.#environment = {
      ...environment,
      random: () => {
        const chance = environment.random();
        drawn.push(chance);
        return chance;
      },
      onDebug: onDebug && ((output) => void this.#outputs.push(output)),
    };
  }

  /** @returns what `call` gives, and throws what it throws */
  run<T>(call: (environment: Environment) => T): T {
    let isDone = true;
    try {
      const result = call(this.#environment);
      isDone = result !== UNDONE;
      return result;
    } finally {
      if (isDone) for (const output of this.#outputs) this.#listener?.(output);
    }
  }
}

/** The environment for a call that is done again: it draws what the attempt has drawn, and then on. */
export function drawAgain(environment: Environment, drawn: readonly number[]): Environment {
  let at = 0;
  return { ...environment, random: () => drawn[at++] ?? environment.random() };
}
