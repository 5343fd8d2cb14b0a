// Tests of the installed program on several versions of Node: on one that is too old it runs with the Node of its optional package.

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { execa } from 'execa'
import t, { type Test } from 'tap'
import { once } from '../../support/wait.ts'
import { ownPlaces, pack, packNode, run, serve, workFolder } from './packed.ts'

const PLATFORM = `${process.platform}-${process.arch}`
const require = createRequire(path.resolve('test/e2e/package.json'))

/** Returns the Node programs to test, by version; an old one that is not on this machine is left out. */
async function findNodes(): Promise<Record<string, string>> {
  const found: Record<string, string> = { 24: process.execPath }
  const older = [...pathFolders().map(folder => path.join(folder, 'node')), resolveNode22()]
  for (const program of older) {
    if (program === undefined || !existsSync(program)) continue
    const { stdout } = await execa(program, ['--version'])
    found[stdout.slice(1).split('.')[0]!] ??= program
  }
  return found
}

const pathFolders = () => process.env.PATH!.split(path.delimiter).filter(Boolean)

function resolveNode22(): string | undefined {
  try {
    return path.join(path.dirname(require.resolve('node-22/package.json')), 'bin/node')
  } catch {
    return undefined
  }
}

/** Serves one package as a registry does. */
async function serveRegistry(t: Test, { tarball, manifest }: Awaited<ReturnType<typeof packNode>>): Promise<string> {
  const { name, version } = manifest
  const server = createServer((request, response) => {
    if (request.url === '/node.tgz') return response.end(readFileSync(tarball))
    if (decodeURIComponent(request.url ?? '') !== `/${name}`) return response.writeHead(404).end('{}')
    const dist = { tarball: `${url}/node.tgz` }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } })
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}`
  return url
}

t.test(
  'the program runs on every supported Node',
  { skip: PLATFORM !== 'linux-x64' && 'needs Node 22 for x64' },
  async t => {
    const [main, nodePackage] = [await pack(), await packNode(PLATFORM)]
    const registry = await serveRegistry(t, nodePackage)
    const npm = realpathSync((await run('which', ['npm'], { cwd: '.' })).stdout)
    const nodes = await findNodes()
    t.hasProps(nodes, ['22', '24'])

    for (const [version, node] of Object.entries(nodes))
      await t.test(`Node ${version}`, async t => {
        const folder = path.join(workFolder(), `on-node-${version}`)
        mkdirSync(folder)
        writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
        const env = {
          ...ownPlaces(folder),
          PATH: `${path.dirname(node)}:/usr/bin:/bin`,
          'npm_config_@toolgate:registry': registry
        }
        await run(node, [npm, 'install', '--prefer-offline', '--no-audit', '--no-fund', main.tarball], {
          cwd: folder,
          env
        })
        const installed = path.join(folder, 'node_modules/@toolgate', `node-${PLATFORM}`)
        t.equal(existsSync(installed), Number(version) < 24, 'the package with Node is installed where it is needed')

        const program = path.join(folder, 'node_modules/.bin/toolgate')
        const toolgate = (...args: string[]) => run(node, [program, ...args], { cwd: folder, env })
        t.match((await toolgate('--version')).stdout, main.manifest.version)
        const failed = await toolgate('show', 'tc_none').catch(error => error)
        t.equal(failed.exitCode, 3, 'ends with the exit code of the program')

        writeFileSync(path.join(folder, 'a.txt'), 'hello\n')
        const { server } = await serve(t, folder, [node])
        const { stdout } = await toolgate('call', 'edit_file', 'path=a.txt', 'old=hello', 'new=bye', '--no-wait')
        await toolgate('approve', stdout.trim(), '--yes')
        t.match((await toolgate('show', stdout.trim())).stdout, /success/)
        t.equal(readFileSync(path.join(folder, 'a.txt'), 'utf8'), 'bye\n')
        server.kill('SIGTERM')
        t.same(await once(server, 'exit'), [0, null], 'a signal reaches the server')
      })
  }
)
