import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILES = {
  'signed.iml.json': {
    condition: '{{webhook.subscription = "listed"}}',
    output: { subscription: '{{webhook.subscription}}' },
  },
  'signed.attach.iml.json': {
    url: 'https://api.bookshop.example/v1/genres',
    response: { data: { subscription: '{{if(body.genres, "listed", "empty")}}' } },
  },
  'signed.detach.iml.json': { url: 'https://api.bookshop.example/v1/genres', method: 'GET' },
  'watch.iml.json': {
    url: '/books',
    response: {
      iterate: '{{body.books}}',
      output: { isbn: '{{item.isbn}}', title: '{{item.title}}' },
      trigger: {
        type: 'date',
        order: 'unordered',
        id: '{{item.isbn}}',
        date: '{{parseDate(item.published)}}',
      },
    },
  },
  'watch.epoch.iml.json': { response: { output: { label: '{{item.title}}', date: '{{item.published}}' } } },
  'shelf.iml.json': {
    url: '/books',
    qs: { shelf: '{{parameters.shelf}}' },
    response: { iterate: '{{body.books}}', output: { label: '{{item.title}}', value: '{{item.isbn}}' } },
  },
};

/** An app with a webhook that attaches, a polling trigger, and an RPC with parameters. */
export function addSteps(root: string): void {
  const file = path.join(root, 'makecomapp.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    components: Record<'module' | 'rpc' | 'webhook', Record<string, unknown>>;
  };
  const { module, rpc, webhook } = manifest.components;
  webhook['signed'] = {
    webhookType: 'web',
    connection: 'bookshopKey',
    codeFiles: {
      communication: 'signed.iml.json',
      attach: 'signed.attach.iml.json',
      detach: 'signed.detach.iml.json',
    },
  };
  module['watchBooks'] = {
    label: 'Watch books',
    moduleType: 'trigger',
    connection: 'bookshopKey',
    codeFiles: { communication: 'watch.iml.json', epoch: 'watch.epoch.iml.json' },
  };
  rpc['listShelf'] = { connection: 'bookshopKey', codeFiles: { communication: 'shelf.iml.json' } };
  writeFileSync(file, JSON.stringify(manifest));
  for (const [name, value] of Object.entries(FILES))
    writeFileSync(path.join(root, name), JSON.stringify(value));
}
