import {
  createEngine,
  defineApp,
  type EngineOptions,
  type IncomingCall,
  type Webhook,
} from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';

/** A webhook of an app without other components. */
export function webhookOf(
  communication: unknown,
  {
    type = 'web' as 'web' | 'web-shared',
    ...options
  }: Partial<EngineOptions> & { type?: 'web' | 'web-shared' } = {},
): Webhook {
  const app = defineApp({ name: 'test', webhooks: { w: { type, communication } } });
  return createEngine({ app, clock: createVirtualClock(), ...options }).webhook('w');
}

export function post(body: unknown, headers: Record<string, string> = {}): Request {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return new Request('https://hook.example.test/h?x=1', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isRaw ? body : JSON.stringify(body),
  });
}

export function call(body: Uint8Array, contentType?: string, more: Partial<IncomingCall> = {}): IncomingCall {
  const headers: [string, string][] = contentType === undefined ? [] : [['content-type', contentType]];
  return { method: 'POST', url: '/h', headers, body, ...more };
}
