// True once something has been waited for long enough to say so. Before that, words would only flash.
import { useEffect, useState } from "react";

const LATE_MS = 150;

export function useLate(waiting: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [waiting]);
  return waiting && isLate;
}
