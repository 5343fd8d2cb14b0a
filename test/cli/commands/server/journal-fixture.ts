// Fixture: a project whose server keeps its journal in a folder of the project.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { connect } from '../../../../src/client/client.ts'
import { within } from '../../../support/wait.ts'
import { type createProject, UNSANDBOXED } from '../../toolgate.ts'

export type Project = ReturnType<typeof createProject>

export const envOf = ({ folder }: Project) => ({ ...UNSANDBOXED, TOOLGATE_STATE_DIR: path.join(folder, 'states') })
/** Returns the state folder of the server. */
export const stateOf = ({ folder }: Project) => globSync(path.join(folder, 'states/workspaces/*'))[0]!

/** Starts a server, and a client named `ann`. */
export async function begin(place: Project) {
  const server = await place.serveIn(envOf(place))
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8'))
  const client = connect({ url: server.url, token, client: 'ann' })
  const end = async (signal: NodeJS.Signals) => {
    server.process.kill(signal)
    return within('the server to end', server.ended)
  }
  return { server, client, token, end }
}

export type Client = Awaited<ReturnType<typeof begin>>['client']
