import http from 'node:http';

/** Access to a table without a store. */
export interface RawTable {
  /** @returns the ID of the row */
  readonly insert: (body: string) => Promise<unknown>;
  readonly finish: (id: unknown) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens the table. Creates it if it does not exist. */
export function openRaw(engine: 'sqlite' | 'postgres', at: string): Promise<RawTable> {
  return engine === 'sqlite' ? openRawSqlite(at) : openRawPostgres(at);
}

async function openRawSqlite(file: string): Promise<RawTable> {
  const { default: Database } = await import('libsql');
  const raw = new Database(file);
  raw.pragma('busy_timeout = 10000');
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.exec('create table if not exists raw_events (id integer primary key, status text, body text)');
  const insert = raw.prepare('insert into raw_events (status, body) values (?, ?)');
  const update = raw.prepare('update raw_events set status = ? where id = ?');
  return {
    insert: async (body) => insert.run(['pending', body]).lastInsertRowid,
    finish: async (id) => void update.run(['done', id]),
    close: async () => void raw.close(),
  };
}

async function openRawPostgres(url: string): Promise<RawTable> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // The benchmark drops the database, possibly before the connections are closed.
  pool.on('error', () => {});
  await pool.query(
    'create table if not exists raw_events (id bigserial primary key, status text, body text)',
  );
  const insert = 'insert into raw_events (status, body) values ($1, $2) returning id';
  return {
    insert: async (body) => (await pool.query<{ id: string }>(insert, ['pending', body])).rows[0]?.id,
    finish: async (id) =>
      void (await pool.query('update raw_events set status = $1 where id = $2', ['done', id])),
    close: () => pool.end(),
  };
}

/** Starts a server that parses the JSON body, calls `store`, and responds. */
export async function serveRaw(
  store: (body: string) => Promise<unknown>,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      JSON.parse(body);
      store(body).then(
        () => response.end('Accepted'),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
