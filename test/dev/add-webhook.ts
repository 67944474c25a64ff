import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** An app with a webhook beside its modules. */
export function addWebhook(root: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { components: Record<string, unknown> };
  const sold = { webhookType: 'web', codeFiles: { communication: 'sold.iml.json' } };
  writeFileSync(
    file,
    JSON.stringify({ ...manifest, components: { ...manifest.components, webhook: { sold } } }),
  );
  writeFileSync(
    path.join(root, 'sold.iml.json'),
    '{"iterate": "{{body.sales}}", "output": {"isbn": "{{item.isbn}}"}}',
  );
}
