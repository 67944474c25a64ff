import { call, post, webhookOf } from '../../webhook/helpers.js';
import type { ErrorCase } from './error-case.js';

const handled = async (incoming: Parameters<ReturnType<typeof webhookOf>['handle']>[0]): Promise<never> => {
  const report = await webhookOf({ output: '{{body}}' }).handle(incoming);
  throw report.error;
};

export const WEBHOOKS: readonly ErrorCase[] = [
  {
    code: 'WEBHOOK_TOO_LARGE',
    title: 'a payload of 6 MB',
    provoke: () => handled(call(new Uint8Array(6 * 1024 * 1024), 'application/octet-stream')),
  },
  {
    code: 'WEBHOOK_ENCODING',
    title: '`content-encoding: zstd`',
    provoke: () => handled(post({ a: 1 }, { 'content-encoding': 'zstd' })),
  },
  {
    code: 'WEBHOOK_PAYLOAD',
    title: '`{"a":` as JSON',
    provoke: () => handled(post('{"a":')),
  },
];
