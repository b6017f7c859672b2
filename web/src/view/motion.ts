// A short way from one view to the next, so that the eye can follow. None for people who asked their system for less
// motion.

const durationMs = 140;

export function wantsMotion(): boolean {
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export class Transition {
  private from: readonly [number, number];
  private began = -Infinity;

  constructor(private to: readonly [number, number]) {
    this.from = to;
  }

  moveTo(to: readonly [number, number], animated: boolean, now: number): void {
    if (to[0] === this.to[0] && to[1] === this.to[1]) return;
    this.from = animated ? this.at(now) : to;
    this.to = to;
    this.began = animated ? now : -Infinity;
  }

  isMoving(now: number): boolean {
    return now - this.began < durationMs;
  }

  at(now: number): readonly [number, number] {
    const passed = Math.min(1, (now - this.began) / durationMs);
    if (!(passed < 1)) return this.to;
    const eased = 1 - (1 - passed) ** 3;
    return [
      this.from[0] + (this.to[0] - this.from[0]) * eased,
      this.from[1] + (this.to[1] - this.from[1]) * eased,
    ];
  }
}
