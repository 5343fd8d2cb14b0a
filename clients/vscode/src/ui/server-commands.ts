// Commands about the server: start, stop, connect, console, log.
import path from 'node:path'
import * as vscode from 'vscode'
import { ServerProcess } from '../model/server-process.ts'
import type { Session } from '../model/session.ts'
import { type RegisterCommand, showBriefly } from './commands.ts'
import { getEnvironment, settings } from './settings.ts'

export class ServerCommands implements vscode.Disposable {
  readonly #session: Session
  readonly #log = vscode.window.createOutputChannel('Toolgate')
  #process: ServerProcess | undefined

  constructor(session: Session) {
    this.#session = session
  }

  register(command: RegisterCommand) {
    command('toolgate.start', () => this.#start())
    command('toolgate.stop', () => this.#stop())
    command('toolgate.openConsole', () => this.#openConsole())
    command('toolgate.showLog', () => this.#log.show(true))
  }

  dispose() {
    this.#log.dispose()
  }

  async #start() {
    if (this.#session.isLive) return showBriefly('the server is already connected')
    if (this.#process?.isRunning) return showBriefly('a server is already starting')
    const root = await pickFolder()
    if (root === undefined) return
    const command = { program: settings.program(), args: settings.arguments(), env: getEnvironment() }
    const server = new ServerProcess(root, command, line => this.#log.appendLine(line))
    this.#process = server
    const title = `Toolgate: starting a server for ${path.basename(root)}…`
    try {
      await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => server.ready)
    } catch (error) {
      const help = 'Installation'
      const picked = await vscode.window.showErrorMessage(`Toolgate: ${(error as Error).message}`, help)
      if (picked === help) await vscode.env.openExternal(vscode.Uri.parse(INSTALLATION))
      return
    }
    this.#session.search()
  }

  #stop() {
    if (!this.#process?.isRunning)
      return showBriefly('this window has not started the server: stop it where it was started')
    this.#process.stop()
    showBriefly('the server has been stopped')
  }

  async #openConsole() {
    const client = this.#session.requireClient()
    const { path: page } = await client.createOneTimeCode()
    // In a remote window, the port is forwarded.
    const url = await vscode.env.asExternalUri(vscode.Uri.parse(`${client.connection.url}${page}`))
    await vscode.env.openExternal(url)
  }
}

const INSTALLATION = 'https://github.com/toolgate/toolgate#readme'

async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file')
  if (folders.length === 0) throw new Error('Open a folder first: a server serves a folder.')
  if (folders.length === 1) return folders[0]!.uri.fsPath
  const picked = await vscode.window.showWorkspaceFolderPick({ placeHolder: 'Folder to serve' })
  return picked?.uri.fsPath
}
