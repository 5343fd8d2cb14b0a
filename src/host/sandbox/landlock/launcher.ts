// Finds the launcher, a separate program (native/confine) that confines itself before it becomes another program, and reads what
// the kernel offers to it.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecaError } from 'execa'
import { isExecutable } from '../../processes/find-program.ts'
import { packageFolder } from '../../user-file.ts'

/** Offers of the kernel that decide if programs can be confined; the launcher reports more. */
interface LandlockReport {
  /** Version of Landlock's interface; 0 for none. */
  abi: number
  /** The least version at which the launcher runs a program. */
  min_abi: number
  /** System calls can be filtered. */
  filter: boolean
  /** The reason for which there is no Landlock. */
  reason: string
}

const TIMEOUT_MS = 5_000

const PROGRAM = 'toolgate-confine'

/** Returns the name of the package with the launcher for a processor. */
export const launcherPackage = (processor: string): string => `@toolgate/confine-linux-${processor}`

/** Returns the path of the launcher for this platform, in a checkout or an image, or in its package; undefined if there is none. */
export function findLauncher(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const built = path.join(packageFolder(), `native/build/linux-${process.arch}`, PROGRAM)
  return [built, findInPackage()].find(file => file !== undefined && isExecutable(file))
}

function findInPackage(): string | undefined {
  try {
    // As for an import: neither NODE_PATH nor folders of the home count.
    return fileURLToPath(import.meta.resolve(`${launcherPackage(process.arch)}/${PROGRAM}`))
  } catch {
    return undefined
  }
}

/** Throws if the launcher cannot be started. */
async function readReport(launcher: string): Promise<LandlockReport> {
  const { execa } = await import('execa')
  const { stdout } = await execa(launcher, ['--report-abi'], { env: {}, extendEnv: false, timeout: TIMEOUT_MS })
  return JSON.parse(stdout) as LandlockReport
}

/** Returns what is missing to confine programs, with a hint; undefined if nothing is. */
export async function findMissingOfLandlock(launcher: string | undefined): Promise<string | undefined> {
  if (launcher === undefined)
    return `The Landlock launcher is not installed: the package ${launcherPackage(process.arch)} is missing. Install toolgate with its optional packages (npm install --include=optional toolgate); in a checkout, run npx node scripts/build-launcher.ts.`
  try {
    return explainMissing(await readReport(launcher))
  } catch (error) {
    const { message, shortMessage = message } = error as Error & Partial<ExecaError>
    return `The Landlock launcher cannot be started: ${shortMessage}`
  }
}

/** Returns what of the kernel's offers is missing to confine programs; undefined if nothing is. */
export function explainMissing({ abi, min_abi, filter, reason }: LandlockReport): string | undefined {
  if (abi === 0) return `Landlock is ${reason}.`
  if (abi < min_abi)
    return (
      `The kernel supports Landlock only up to ABI ${abi}. Below ABI ${min_abi}, a command could send signals to the ` +
      'server. Update the kernel to 6.12 or later.'
    )
  return filter ? undefined : 'The kernel has no system call filter (seccomp).'
}
