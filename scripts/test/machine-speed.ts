// Measures how fast the machine is at the moment, by the start of a Node: limits are scaled by it, and costs are stated in it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** A start of Node on the machine for which limits are chosen takes this long, and as much processor time. */
export const REFERENCE_MS = 67
const FIRST_SAMPLES = 5
const SAMPLE_INTERVAL_MS = 10_000
/** A machine that is still slower is stuck. */
const MAX_FACTOR = 20
/** A start of Node that takes so many times its processor time shares the machine with others, whose work makes tests cost more. */
const BUSY_RATIO = 2
interface NodeStart {
  wallMs: number
  /** User and system time. */
  processorMs: number
}

/** The speed of the machine from the start of a run to its end. Dispatches `change` with each measurement. */
export class MachineSpeed extends EventTarget {
  readonly #starts: NodeStart[]
  /** By this factor everything takes longer at the moment than on an idle machine of the reference: at least 1. */
  limitFactor: number
  /** True if others used the processors when the run began. */
  readonly isShared: boolean

  static async measure(): Promise<MachineSpeed> {
    const starts: NodeStart[] = []
    for (let i = 0; i < FIRST_SAMPLES; i++) starts.push(await startNode())
    return new MachineSpeed(starts)
  }

  private constructor(starts: NodeStart[]) {
    super()
    this.#starts = starts
    this.limitFactor = toLimitFactor(median(starts.map(({ wallMs }) => wallMs)))
    this.isShared = median(starts.map(({ wallMs, processorMs }) => wallMs / processorMs)) > BUSY_RATIO
  }

  /** Measures again as the run goes, until the signal. */
  follow(signal: AbortSignal) {
    const sample = async () => {
      try {
        const start = await startNode()
        this.#starts.push(start)
        this.limitFactor = toLimitFactor(start.wallMs)
        this.dispatchEvent(new Event('change'))
      } catch {
        // No process can be started at the moment: the last measurement counts.
      }
    }
    const timer = setInterval(sample, SAMPLE_INTERVAL_MS)
    signal.addEventListener('abort', () => clearInterval(timer))
  }

  /** Processor time of a start of Node, in milliseconds: the median of the run. */
  get startMs(): number {
    return median(this.#starts.map(({ processorMs }) => processorMs))
  }
}

async function startNode(): Promise<NodeStart> {
  const started = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'JSON.stringify(process.cpuUsage())'])
  const { user, system } = JSON.parse(stdout) as NodeJS.CpuUsage
  return { wallMs: performance.now() - started, processorMs: (user + system) / 1_000 }
}

const toLimitFactor = (wallMs: number) =>
  Math.min(MAX_FACTOR, Math.max(1, Math.round((wallMs / REFERENCE_MS) * 10) / 10))

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1]!
