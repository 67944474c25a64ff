import { receiveMessageOnPort } from 'node:worker_threads';
import { EngineError } from '../../errors/engine-error.js';
import { nodeDigest } from '../../iml/environment/digest.js';
import type { DebugListener, Environment } from '../../iml/environment/environment.js';
import { toEnvironment } from '../../iml/environment/to-environment.js';
import { drawAgain } from '../attempt.js';
import { readCarriedError } from './carried-error.js';
import type { CarriedEnvironment, ThreadAnswer, ThreadPorts, ThreadQuestion } from './messages.js';

/** How long the time of the caller is taken for the present: a function that waits for a time would ask for nothing else. */
const PRESENT_MS = 1;

/** The environment of a call on a thread of its own. What hangs on the caller is asked of it, while this thread waits. */
export function askingEnvironment(
  carried: CarriedEnvironment,
  ports: ThreadPorts,
  onDebug: DebugListener,
): Environment {
  const { timezone, equality, platformVersion, drawsAnywhere, hasNodeDigest, hasDebug } = carried;
  const own = toEnvironment({ timezone, equality, platformVersion });
  let present = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  const now = (): number => {
    if (performance.now() - askedAt < PRESENT_MS) return present;
    present = Number(ask(ports, { name: 'now' }));
    askedAt = performance.now();
    return present;
  };
  const asking: Environment = {
    ...own,
    now,
    random: drawsAnywhere ? own.random : () => Number(ask(ports, { name: 'random' })),
    digest: hasNodeDigest
      ? nodeDigest
      : (algorithm, data, key) => ask(ports, { name: 'digest', algorithm, data, key }) as Uint8Array,
    onDebug: hasDebug ? onDebug : undefined,
  };
  return drawAgain(asking, carried.drawn);
}

/** @throws ImlError for what the caller throws */
function ask({ questions, answered }: ThreadPorts, question: ThreadQuestion): unknown {
  Atomics.store(answered, 0, 0);
  questions.postMessage(question);
  Atomics.wait(answered, 0, 0);
  const answer: { readonly message: ThreadAnswer } | undefined = receiveMessageOnPort(questions);
  if (answer === undefined) throw new EngineError('USAGE', 'A question of a custom function got no answer.');
  if ('error' in answer.message) throw readCarriedError(answer.message.error);
  return answer.message.value;
}
