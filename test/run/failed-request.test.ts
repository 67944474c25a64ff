import { describe, expect, it } from 'vitest';
import { transportFailure } from '../../src/engine/http/undici-transport.js';
import { printError } from '../../src/tools/cli/output/print-error.js';
import { type Answer, engineOf, service } from './helpers.js';

const failing = (answer: Answer) => service(() => answer).transport;

describe('the error of an HTTP response', () => {
  it('names method, address, status and the beginning of the body, and where the request is written', async () => {
    const text = `{"why":"${'x'.repeat(300)}"}`;
    const transport = failing({ status: 409, text, headers: { 'content-type': 'text/plain' } });
    const base = { baseUrl: 'https://api.example.test', response: { error: { message: 'No' } } };
    const { error } = await engineOf({ url: '/x', method: 'POST' }, { http: { transport }, base }).run();
    expect(error?.place?.pointer).toBe('/base/response/error');
    expect(error?.request).toEqual({
      method: 'POST',
      url: 'https://api.example.test/x',
      statusCode: 409,
      body: text.slice(0, 200),
      place: { pointer: '/modules/m/communication/url' },
    });
    expect(error?.toJSON()).toMatchObject({ request: { url: 'https://api.example.test/x' } });
  });

  it('shows no secret of them', async () => {
    const transport = failing({ status: 400, json: { token: 'canary-7f3a9c', said: 'canary-51b2d8' } });
    const spec = { url: '/x', qs: { key: '{{connection.key}}' } };
    const connection = { key: 'canary-51b2d8' };
    const { error } = await engineOf(spec, { http: { transport } }).run({ connection });
    expect(error?.request?.body).toContain('token');
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  it('names the request that got no response', async () => {
    const transport = () =>
      Promise.reject(transportFailure(Object.assign(new Error('gone'), { code: 'ECONNRESET' }), 'https://x'));
    const { error } = await engineOf({ url: '/x' }, { http: { transport } }).run();
    expect(error?.request).toMatchObject({ method: 'GET', url: 'https://api.example.test/x' });
    expect(error?.request?.statusCode).toBeUndefined();
  });

  it('is printed with them', async () => {
    const transport = failing({ status: 404, json: { why: 'gone' } });
    const { error } = await engineOf({ url: '/x' }, { http: { transport } }).run();
    const text = printError(error);
    expect(text).toMatch(/sent +GET https:\/\/api\.example\.test\/x/);
    expect(text).toMatch(/response +\{"why":"gone"\}/);
  });

  it('has the default message where the app gives the status alone', async () => {
    const transport = failing({ status: 400, json: {} });
    const response = { error: { message: '[{{statusCode}}] {{body.message}}' } };
    const { error } = await engineOf({ url: '/x', response }, { http: { transport } }).run();
    expect(error?.message).toBe('Status Code Error: 400');
  });
});
