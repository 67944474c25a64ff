import { parentPort, workerData } from 'node:worker_threads';
import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable } from '../../iml/environment/environment.js';
import type { GuestCaller } from '../caller.js';
import { openGuest } from '../open-guest.js';
import { askingEnvironment } from './asking-environment.js';
import { carryError } from './carried-error.js';
import { Assembler } from './carry.js';
import type { CallOutcome, FromThread, ThreadData, ToThread } from './messages.js';
import { Outcomes } from './outcomes.js';

/**
 * What a thread does all its life: compiles the functions it is given, and answers one call after the other.
 *
 * @param builtins what functions reach as `iml.<name>`
 */
export async function serveCalls(builtins: FunctionTable): Promise<void> {
  const { functions, environment, limits, ...ports }: ThreadData = workerData;
  const { caller, warnings } = await openGuest({ functions, builtins, environment, limits });
  const tell = (message: FromThread): void => parentPort?.postMessage(message);
  const assembler = new Assembler();
  let args: readonly unknown[] = [];
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'piece') {
      const whole = assembler.take(message.piece);
      if (whole !== undefined) args = whole.value as readonly unknown[];
      return;
    }
    const outcomes = new Outcomes(ports.results);
    const asking = askingEnvironment(message.environment, ports, (output) => outcomes.tell(output));
    const begunAt = performance.now();
    const outcome = callGuest(caller, message.index, asking, args);
    const tookMs = performance.now() - begunAt;
    args = [];
    tell({ kind: 'done', pieces: outcomes.end(outcome), tookMs });
  });
  tell({ kind: 'ready', warnings });
}

function callGuest(
  caller: GuestCaller,
  index: number,
  environment: Environment,
  args: readonly unknown[],
): CallOutcome {
  try {
    return { value: caller.call(index, environment, args) };
  } catch (error) {
    if (isOurs(error, ImlError)) return { error: carryError(error) };
    throw error;
  }
}
