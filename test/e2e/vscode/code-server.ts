// Fixture: VS Code in a browser (code-server) with the packed extension, on the project of a test. Its folder is the variable
// CODE_SERVER, or a cache that is filled at first use.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import type { Browser, Page } from 'playwright-core'
import { LIMIT_MS, within } from '../../support/wait.ts'

const VERSION = '4.139.1'
const CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.cache/code-server')
const FOLDER = process.env.CODE_SERVER ?? CACHE
const PROGRAM = path.join(FOLDER, 'node_modules/code-server/out/node/entry.js')

export const WINDOW = { width: 1280, height: 800 }

/** Settings of a window without distractions. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.commandCenter': false,
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'files.autoSave': 'off',
  // Text in the page, which tests can read.
  'terminal.integrated.gpuAcceleration': 'off'
}

export interface CodeServer {
  readonly page: Page
  close(): Promise<void>
}

/** Starts code-server with the extension on a project, and opens it in the browser. */
export async function openVsCode(
  { home, project, vsix, settings = {} }: { home: string; project: string; vsix: string; settings?: object },
  browser: Browser
): Promise<CodeServer> {
  await installCodeServer()
  const data = path.join(home, 'vscode')
  mkdirSync(path.join(data, 'User'), { recursive: true })
  writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify({ ...SETTINGS, ...settings }))
  const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh' }
  const folders = ['--user-data-dir', data, '--extensions-dir', path.join(data, 'extensions')]
  await execa(process.execPath, [PROGRAM, ...folders, '--install-extension', vsix], { env, extendEnv: false })
  const flags = ['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check']
  const server = spawn(process.execPath, [PROGRAM, ...folders, ...flags, project], {
    env,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  try {
    const url = await within('code-server to listen', findUrl(server))
    const context = await browser.newContext({ viewport: WINDOW, deviceScaleFactor: 1.5 })
    const page = await context.newPage()
    page.setDefaultTimeout(LIMIT_MS)
    await page.goto(`${url}/?folder=${encodeURIComponent(project)}`)
    await page.locator('.monaco-workbench').waitFor()
    return {
      page,
      close: async () => {
        await context.close()
        await stop(server)
      }
    }
  } catch (error) {
    await stop(server)
    throw error
  }
}

async function findUrl({ stdout, stderr }: ChildProcess): Promise<string> {
  const lines: string[] = []
  createInterface({ input: stderr! }).on('line', line => lines.push(line))
  for await (const line of createInterface({ input: stdout! })) {
    lines.push(line)
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (url !== undefined) {
      stdout!.resume()
      return url
    }
  }
  throw new Error(`code-server ended: ${lines.join('\n')}`)
}

async function stop(server: ChildProcess) {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise(resolve => server.once('exit', resolve))
  server.kill('SIGTERM')
  await within('code-server to end', ended)
}

/** Installs code-server in the cache. Its native modules are compiled with the headers of this Node. */
async function installCodeServer() {
  if (existsSync(PROGRAM)) return
  mkdirSync(FOLDER, { recursive: true })
  console.error(`Installing code-server ${VERSION} in ${FOLDER} …`)
  const headers = `node-linux-${process.arch}@${process.versions.node}`
  const allowScripts = { 'code-server': true, argon2: true }
  writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify({ private: true, allowScripts }))
  const install = (spec: string, env: Record<string, string> = {}) =>
    execa('npm', ['install', '--no-audit', '--no-fund', spec], { cwd: FOLDER, env, stdio: 'inherit' })
  await install(headers)
  const nodedir = path.join(FOLDER, `node_modules/node-linux-${process.arch}`)
  await install(`code-server@${VERSION}`, {
    npm_config_nodedir: nodedir,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`
  })
}
