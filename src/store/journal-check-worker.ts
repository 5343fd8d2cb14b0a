// Thread that checks a large journal, and replies with the damage.
import { parentPort, workerData } from 'node:worker_threads'
import { findCorruption } from './journal-check.ts'

parentPort!.postMessage(findCorruption(workerData as string, 'quick_check'))
