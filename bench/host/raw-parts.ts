import http from 'node:http';

/** A table in a database with nothing around it. */
export interface RawTable {
  /** @returns the id of the row */
  readonly insert: (body: string) => Promise<unknown>;
  readonly finish: (id: unknown) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens the table that raw parts write to, and makes it if need be. */
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
  // The database goes as soon as all is measured, perhaps before its connections do.
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

/** A server that reads JSON and answers, after doing something with it. @returns its port, and what ends it */
export async function serveRaw(
  keep: (body: string) => Promise<unknown>,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      JSON.parse(body);
      keep(body).then(
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
