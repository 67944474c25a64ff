import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { listCases } from './list-cases.js';

describe('vectors of the language', async () => {
  await listCases(fileURLToPath(new URL('../../spec-fixtures/iml', import.meta.url)));
});
