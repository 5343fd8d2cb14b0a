// @ts-check
import { greet } from '../greet.js'

/** @type {number} */
export const loud = greet('fox')
