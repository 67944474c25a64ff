import type { DebugOutput, Environment } from '../iml/environment/environment.js';
import { UNDONE } from '../iml/values/work.js';

/** What a call has drawn of its environment, for whoever does it again. */
export interface Drawn {
  readonly random: number[];
  readonly uuid: string[];
}

export const NOTHING_DRAWN: Drawn = Object.freeze({ random: [], uuid: [] });

/** A call that may be given up and done again elsewhere: what it says is told once it is done, what it draws is kept. */
export class Attempt {
  readonly drawn: Drawn = { random: [], uuid: [] };
  readonly #environment: Environment;
  readonly #outputs: DebugOutput[] = [];
  readonly #listener: Environment['onDebug'];

  constructor(environment: Environment) {
    const { drawn } = this;
    const { onDebug } = environment;
    this.#listener = onDebug;
    this.#environment = {
      ...environment,
      random: () => keep(drawn.random, environment.random()),
      uuid: () => keep(drawn.uuid, environment.uuid()),
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

function keep<T>(drawn: T[], value: T): T {
  drawn.push(value);
  return value;
}

/** The environment for a call that is done again: it draws what the attempt has drawn, and then on. */
export function drawAgain(environment: Environment, drawn: Drawn): Environment {
  const left = { random: [...drawn.random], uuid: [...drawn.uuid] };
  return {
    ...environment,
    random: () => left.random.shift() ?? environment.random(),
    uuid: () => left.uuid.shift() ?? environment.uuid(),
  };
}
