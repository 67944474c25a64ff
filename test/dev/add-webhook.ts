import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** An app with a webhook beside its modules. */
export function addWebhook(root: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { components: Record<string, unknown> };
  const sold = { webhookType: 'web', codeFiles: { communication: 'sold.iml.json' } };
  const script = { webhookType: 'web', codeFiles: { communication: 'script.iml.json' } };
  writeFileSync(
    file,
    JSON.stringify({ ...manifest, components: { ...manifest.components, webhook: { sold, script } } }),
  );
  // A page that a hostile app would serve to a browser.
  const headers = {
    'content-type': 'text/javascript',
    'service-worker-allowed': '/',
    'content-security-policy': "default-src 'none'",
  };
  const respond = { type: 'text', status: 200, headers, body: 'self.onfetch = steal' };
  writeFileSync(path.join(root, 'script.iml.json'), JSON.stringify({ respond }));
  writeFileSync(
    path.join(root, 'sold.iml.json'),
    '{"iterate": "{{body.sales}}", "output": {"isbn": "{{item.isbn}}"}}',
  );
}
