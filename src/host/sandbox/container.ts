// The level `container`: the server and all its processes run in a container, which is the sandbox. Reports what the container
// itself leaves open.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Environment } from '../processes/environment.ts'
import type { LevelState } from './sandbox.ts'
import { lacksInProcessCleanup } from './unsandboxed.ts'

/** Marker files that container engines create in a container. */
const CONTAINER_MARKERS = ['/.dockerenv', '/run/.containerenv']
/** Access to one of these sockets allows starting further containers, with full access to the machine. */
const ENGINE_SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/podman/podman.sock',
  '/run/containerd/containerd.sock'
]

/** The first is set by podman, systemd and others, or by the operator; the second in each pod of Kubernetes. */
const CONTAINER_VARIABLES = ['container', 'KUBERNETES_SERVICE_HOST']

export async function detectContainer(environment: Environment): Promise<LevelState> {
  const level = 'container'
  const isMarked =
    CONTAINER_MARKERS.some(mark => existsSync(mark)) || CONTAINER_VARIABLES.some(name => environment[name])
  if (!isMarked && !/\bcontainer=/.test(readInitEnvironment()))
    return {
      level,
      holds: false,
      reason:
        'No container was detected. If the server runs in a container, start it with the environment variable container=oci.'
    }
  const engine = ENGINE_SOCKETS.find(socket => existsSync(socket))
  if (engine)
    return {
      level,
      holds: false,
      reason: `The container has ${engine}, with which a command could control the machine.`
    }
  const lacks = [
    ...(process.getuid?.() === 0 ? ['a user other than root (`--user`)'] : []),
    ...(status('CapBnd') === '0000000000000000' ? [] : ['dropped capabilities (`--cap-drop ALL`)']),
    ...(status('NoNewPrivs') === '1' ? [] : ['no new privileges (`--security-opt no-new-privileges`)']),
    ...(await lacksInProcessCleanup()),
    ...(isWritable('/usr') ? ['a read-only file system (`--read-only`)'] : [])
  ]
  return { level, holds: true, ...(lacks.length > 0 && { lacks }) }
}

function readInitEnvironment(): string {
  try {
    return readFileSync('/proc/1/environ', 'latin1')
  } catch {
    return ''
  }
}

function status(name: string): string | undefined {
  try {
    return readFileSync('/proc/self/status', 'latin1').match(new RegExp(`^${name}:\\s*(\\S+)`, 'm'))?.[1]
  } catch {
    return undefined
  }
}

function isWritable(folder: string): boolean {
  const file = `${folder}/.toolgate-tmp-probe-${process.pid}`
  try {
    writeFileSync(file, '', { flag: 'wx' })
    rmSync(file)
    return true
  } catch {
    return false
  }
}
