// The sandbox backends of this platform, each by itself.
import { Bubblewrap } from '../../../src/host/sandbox/bubblewrap/bubblewrap.ts'
import { Landlock } from '../../../src/host/sandbox/landlock/landlock.ts'
import type { SandboxedLevel } from '../../../src/host/sandbox/sandbox-backend.ts'
import { Seatbelt } from '../../../src/host/sandbox/seatbelt.ts'
import type { BackendName } from '../../../src/protocol/isolation-levels.ts'
import { buildLauncher } from '../../support/launcher.ts'
import type { Part } from '../../support/needs.ts'
import type { CreateBackends } from './fixture.ts'

interface TestedBackend {
  name: BackendName
  /** The part of the machine that it needs. */
  part: Part
  levels: readonly SandboxedLevel[]
  /** Commands run unasked in the mode `auto`, at the level `workspace`. */
  hasAuto?: true
  backends: CreateBackends
}

export const BACKENDS: readonly TestedBackend[] =
  process.platform === 'darwin'
    ? [
        {
          name: 'seatbelt',
          part: 'sandbox',
          levels: ['workspace', 'read-only'],
          backends: (options, workspaces) => [new Seatbelt(options, workspaces)]
        }
      ]
    : [
        {
          name: 'bubblewrap',
          part: 'bwrap',
          levels: ['workspace', 'read-only'],
          hasAuto: true,
          backends: (options, workspaces) => [new Bubblewrap(options, workspaces)]
        },
        {
          name: 'landlock',
          part: 'landlock',
          levels: ['workspace', 'read-only', 'container'],
          backends: (options, workspaces) => [new Landlock(options, workspaces, buildLauncher())]
        }
      ]
