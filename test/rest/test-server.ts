import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bootstrap, openRestSqlite, serveRest } from '../../src/rest/index.js';
import { createZoneDirectory } from '../../src/rest/services/reference-data.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

export interface TestServer {
  readonly rest: StoreRest;
  readonly server: Awaited<ReturnType<typeof serveRest>>;
  /** `127.0.0.1:PORT`, which clients call a zone. */
  readonly zone: string;
  /** Token of the administrator, who owns organization 1 with team 1. */
  readonly token: string;
  /** The path of the certificate, if the server uses HTTPS. */
  readonly certificate: string | undefined;
  close(): Promise<void>;
}

/**
 * Starts the API on a free local port with an empty memory store. Every response is checked against the OpenAPI
 * document.
 */
export async function startTestServer(options: { readonly tls?: boolean } = {}): Promise<TestServer> {
  const rest = await createStoreRest({
    store: await openRestSqlite(':memory:'),
    encryptionKey: new Uint8Array(32),
    zones: createZoneDirectory('eu1.make.com'),
  });
  const token = (await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' })) ?? '';
  const tls = options.tls ? await makeCertificate() : undefined;
  const problems: unknown[] = [];
  const fetch: StoreRest['fetch'] = (request) =>
    rest.fetch(request).catch((problem: unknown) => {
      problems.push(problem);
      throw problem;
    });
  const server = await serveRest({ fetch }, { port: 0, ...(tls && { tls }) });
  return {
    rest,
    server,
    zone: new URL(server.origin).host,
    token,
    certificate: tls?.file,
    close: async () => {
      await server.close();
      await rest.close();
      if (tls) await rm(tls.folder, { recursive: true, force: true });
      // The clients only saw a closed connection.
      if (problems.length > 0) throw problems[0];
    },
  };
}

/** A self-signed certificate for 127.0.0.1, valid for a day. */
async function makeCertificate(): Promise<{ cert: string; key: string; file: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'iml-rest-tls-'));
  const [file, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await promisify(execFile)('openssl', ['req', '-x509', '-days', '1', ...key, ...subject, '-out', file]);
  return { cert: await readFile(file, 'utf8'), key: await readFile(keyFile, 'utf8'), file, folder };
}
