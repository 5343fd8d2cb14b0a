// Fixture: the built server on a new project, for external views of its console.
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startUntilReady } from '../../bench/process.ts'
import { type Client, connect } from '../../src/client/client.ts'
import { fillCalls } from '../support/fill-calls.ts'
import { removeFolder } from '../support/remove-folder.ts'

export interface ConsoleFixture {
  url: string
  token: string
  /** Client of the agent whose calls the console shows. */
  client: Client
  stop(): Promise<void>
}

/** Serves these files in a folder with this name, which the console shows, with so many past calls. */
export async function startConsoleFixture(
  name: string,
  files: Record<string, string>,
  pastCalls = 0
): Promise<ConsoleFixture> {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-console-'))
  const project = path.join(folder, 'projects', name)
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
    writeFileSync(path.join(project, file), content)
  }
  const env = { PATH: process.env.PATH!, HOME: folder, TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none') }
  const args = ['serve', '--ready', 'json', '--log-level', 'error']
  const start = () => startUntilReady(path.resolve('dist/main.js'), args, { cwd: project, env })
  if (pastCalls > 0) {
    // The first start creates the state folder.
    await (await start()).stop()
    const [journal] = globSync(path.join(folder, '.local/state/toolgate/**/journal.db'))
    await fillCalls(path.dirname(journal!), pastCalls)
  }
  const server = await start()
  const { url, discovery_file } = server.ready as { url: string; discovery_file: string }
  const { token } = JSON.parse(readFileSync(discovery_file, 'utf8')) as { token: string }
  return {
    url,
    token,
    client: connect({ url, token, client: 'my-agent' }),
    async stop() {
      await server.stop()
      removeFolder(folder)
    }
  }
}
