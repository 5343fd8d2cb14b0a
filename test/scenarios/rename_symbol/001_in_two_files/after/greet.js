// @ts-check
/** @param {string} name */
export function hail(name) {
	return ['Hello', name].join(' ')
}
