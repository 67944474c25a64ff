import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SendOrder, SendResult } from './sender.js';

const CONCURRENCY = 64;

/** Sends requests from a separate process. */
export interface Load {
  readonly send: (order: SendOrder) => Promise<SendResult>;
  /** Sends requests with a fixed concurrency. @throws Error for a status other than 200 */
  readonly sendAll: (ports: readonly number[], count: number, path?: string) => Promise<void>;
  readonly end: () => void;
}

export function createLoad(): Load {
  const child = fork(new URL('./sender.js', import.meta.url));
  const send = async (order: SendOrder): Promise<SendResult> => {
    child.send(order);
    const [result] = (await once(child, 'message')) as [SendResult];
    return result;
  };
  return {
    send,
    sendAll: async (ports, count, path = '/') => {
      const { statuses } = await send({ ports, path, count, concurrency: CONCURRENCY });
      if (statuses['200'] !== count) throw new Error(`Unexpected statuses: ${JSON.stringify(statuses)}.`);
    },
    end: () => void child.kill(),
  };
}
