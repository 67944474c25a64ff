import { expect, it } from 'vitest';
import { collectScenarioSecrets } from '../../src/host/scenarios/scenario-secrets.js';

it('collects as secrets the password fields of steps and values under secret names', async () => {
  const steps = [
    {
      app: 'a',
      connection: 'work',
      parameters: {
        code: 'code-of-the-step',
        inner: { 'pin/of': 'pin-of-the-step', open: 'open-text' },
        api_key: 'key-of-the-step',
      },
      hiddenParameters: ['/code', '/inner/pin~1of', '/none/at/all'],
    },
    { parameters: undefined },
    'no step',
  ];
  const found = await collectScenarioSecrets({
    hooks: [],
    flows: [{ steps }, undefined],
    findConnectionSecrets: async ({ app, connection }) => [`secret-of-${app}-${connection}`],
  });
  expect(found.toSorted()).toEqual([
    'code-of-the-step',
    'key-of-the-step',
    'pin-of-the-step',
    'secret-of-a-work',
  ]);
});
