import { describe, expect, it } from 'vitest';
import { post, webhookOf } from './helpers.js';

describe('a call without bundles', () => {
  it('reports the values of a false condition and its source location', async () => {
    const webhook = webhookOf({ condition: "{{body.event = 'created' & body.list[1].id > 5}}" });
    const report = await webhook.handle(post({ event: 'ping', list: [{ id: 3 }] })).orThrow();
    expect(report.bundles).toEqual([]);
    expect(report.noBundles).toMatchObject({
      reason: 'condition',
      message: 'The condition is false: body.event is "ping", body.list[1].id is 3.',
      place: { pointer: '/webhooks/w/communication/condition' },
      values: [
        { path: 'body.event', value: '"ping"' },
        { path: 'body.list[1].id', value: '3' },
      ],
    });
  });

  it('shows types and missing values, but no secret', async () => {
    const webhook = webhookOf({ condition: "{{body.token = 'a' & body.list = body.none}}" });
    const { noBundles } = await webhook.handle(post({ token: 'very-secret-token', list: [] })).orThrow();
    expect(noBundles?.message).not.toContain('very-secret-token');
    expect(noBundles?.message).toContain('body.list is an array, body.none is nothing.');
  });

  it.each<readonly [reason: string, spec: object, body: unknown]>([
    ['verification', { verification: { condition: '{{body.challenge}}' } }, { challenge: 'x' }],
    ['list', { iterate: '{{body.items}}' }, { items: [] }],
    [
      'item-condition',
      { iterate: { container: '{{body.items}}', condition: '{{item.ok}}' } },
      { items: [{}] },
    ],
    ['output', { output: '{{body.none}}' }, { a: 1 }],
  ])('gives the reason %s', async (reason, spec, body) => {
    const { noBundles, bundles } = await webhookOf(spec).handle(post(body)).orThrow();
    expect(bundles).toEqual([]);
    expect(noBundles?.reason).toBe(reason);
  });

  it.each<readonly [reason: string, body: unknown]>([
    ['uid', { a: 1 }],
    ['recipient', { user: 'nobody' }],
  ])('gives the reason %s for a shared webhook', async (reason, body) => {
    const webhook = webhookOf({ uid: '{{body.user}}' }, { type: 'web-shared' });
    const { noBundles } = await webhook
      .handle(post(body), { connections: [{ id: '1', uid: 'u' }] })
      .orThrow();
    expect(noBundles?.reason).toBe(reason);
  });

  it('has no reason if there are bundles', async () => {
    expect(
      (
        await webhookOf({})
          .handle(post({ a: 1 }))
          .orThrow()
      ).noBundles,
    ).toBeUndefined();
  });
});

describe('item without iterate', () => {
  it('is the body in output and uid', async () => {
    const webhook = webhookOf({ uid: '{{item.user}}', output: '{{item.text}}' }, { type: 'web-shared' });
    const { deliveries } = await webhook.handle(post({ user: 'u', text: 'hi' })).orThrow();
    expect(deliveries).toEqual([{ uid: 'u', recipients: [], bundles: ['hi'] }]);
  });
});

describe('a uid that JSON parsing has rounded', () => {
  const connections = [
    { id: 'other', uid: '9007199254740992' },
    { id: 'own', uid: '9007199254740993' },
  ];

  it.each<readonly [string, object, unknown]>([
    ['in the call', { uid: '{{body.user}}' }, { user: 'USER' }],
    ['in an item', { iterate: '{{body.items}}', uid: '{{item.user}}' }, { items: [{ user: 'USER' }] }],
  ])('fails the call instead of reaching another user: %s', async (_, spec, body) => {
    const webhook = webhookOf(spec, { type: 'web-shared' });
    const text = JSON.stringify(body).replace('"USER"', '9007199254740993');
    const report = await webhook.handle(post(text), { connections });
    expect(report.error).toMatchObject({
      name: 'DataError',
      place: { pointer: '/webhooks/w/communication/uid' },
    });
    expect(report.error?.message).toBe(
      'The uid 9007199254740992 is a number that JSON cannot represent exactly. The API must send it as text.',
    );
    expect(report.deliveries).toBeUndefined();
  });

  it('reaches its user as text, and as a safe integer', async () => {
    const webhook = webhookOf({ uid: '{{body.user}}' }, { type: 'web-shared' });
    const { recipients } = await webhook
      .handle(post({ user: '9007199254740993' }), { connections })
      .orThrow();
    expect(recipients).toEqual(['own']);
    const small = await webhook
      .handle(post({ user: 5 }), { connections: [{ id: 'five', uid: 5 }] })
      .orThrow();
    expect(small.recipients).toEqual(['five']);
  });
});
