import path from 'node:path';
import { expect, it } from 'vitest';
import { writeApp } from '../app/temp-app.js';
import { cli } from './fake-io.js';

const FUNCTIONS = {
  'makecomapp.json': {
    generalCodeFiles: {},
    components: {
      module: { go: { moduleType: 'action', codeFiles: { communication: 'go.json' } } },
      function: {
        broken: { codeFiles: { code: 'broken.js' } },
        absent: { codeFiles: { code: 'absent.js' } },
        upper: { codeFiles: { code: 'upper.js' } },
        other: { codeFiles: { code: 'other.js' } },
      },
    },
  },
  'go.json': { response: { output: { text: '{{upper("a")}}' } } },
  'broken.js': 'function broken( {',
  'upper.js': 'function upper(text) { return "mine: " + text; }',
  // Only a run finds out that it has another name.
  'other.js': 'function another() {}',
};

it('reports a problem of a custom function once', async () => {
  const { code, out, err } = await cli(['run', '.', 'go'], { cwd: writeApp(FUNCTIONS) });
  expect({ code, out }).toEqual({ code: 0, out: '{"text":"mine: a"}\n' });
  expect(err).toMatch(
    /^upper\.js: warning: .*\[shadowed-function\]\niml check \. reports 2 in other parts of the app\.\n$/,
  );
});

it('prints paths relative to the current folder, or absolute ones if shorter', async () => {
  const app = writeApp(FUNCTIONS);
  const near = await cli(['info', '.', 'broken'], { cwd: app });
  expect(near.out).toMatch(/^broken\.js:\d/m);
  const above = await cli(['info', path.basename(app), 'broken'], { cwd: path.dirname(app) });
  expect(above.out).toContain(`\n${path.basename(app)}/broken.js:`);
  const far = await cli(['info', app, 'broken'], { cwd: import.meta.dirname });
  expect(far.out).toContain(`\n${path.join(app, 'broken.js')}:`);
});
